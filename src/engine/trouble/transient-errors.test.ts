import { describe, expect, it } from 'vitest';
import { AppError } from '../../core/model/errors.ts';
import { isPassing } from './transient-errors.ts';

describe('what may work a moment later', () => {
  it('is a git that was killed, and what somebody else is at', () => {
    expect(isPassing(new AppError('E_GIT', 'git add -A was ended by SIGKILL'))).toBe(true);
    const facts = ['error: update-ref died of signal 9', 'in /repo'];
    expect(isPassing(new AppError('E_GIT', 'git worktree add failed with exit code 137', { facts }))).toBe(true);
    const locked = ["fatal: Unable to create '/repo/.git/worktrees/wt/index.lock': File exists.", 'in /repo'];
    expect(isPassing(new AppError('E_GIT', 'git reset failed with exit code 128', { facts: locked }))).toBe(true);
    for (const code of ['E_BUSY', 'E_INTERRUPTED', 'E_TERMINATED'] as const)
      expect(isPassing(new AppError(code, 'git (process 7) still works on it'))).toBe(true);
  });

  it('is not a git that refuses, nor a bug', () => {
    expect(isPassing(new AppError('E_GIT', 'git add -A failed with exit code 128'))).toBe(false);
    expect(isPassing(new Error('git add -A was ended by SIGKILL'))).toBe(false);
  });
});
