// What part A drives, for the bundler: plain Node reads no TypeScript.
export { canLand } from '../../src/core/loops/landing-queue.ts';
export { EMPTY_STATE } from '../../src/core/model/model.ts';
export { fold } from '../../src/core/fold/fold.ts';
export { NO_USAGE } from '../../src/core/model/usage.ts';
export { wishes } from '../../src/core/plan/wishes.ts';
export { landPolicy } from '../../src/faces/cli/run/policy.ts';
export { settle } from '../../src/text/config/settle.ts';
