// What the bench drives, for the bundler: plain Node reads no TypeScript.
export { openGateWorktrees } from '../../src/world/gates/gate-worktree.ts';
export { findRepository } from '../../src/world/git/run/repository.ts';
export { settle } from '../../src/text/config/settle.ts';
