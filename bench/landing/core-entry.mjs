// What part A drives, for the bundler: plain Node reads no TypeScript.
export { canLand } from '../../src/core/landing-queue.ts';
export { EMPTY_STATE } from '../../src/core/model.ts';
export { fold } from '../../src/core/step.ts';
export { NO_USAGE } from '../../src/core/usage.ts';
export { wishes } from '../../src/core/wishes.ts';
export { landPolicy } from '../../src/faces/cli/policy.ts';
export { settle } from '../../src/text/config/settle.ts';
