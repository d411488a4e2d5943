import { AppError } from '../../core/model/errors.ts';
import type { ErrorCode } from '../../core/model/errors.ts';

const KILLED = /was ended by SIG[A-Z]+$/;
/** How git tells that a git it had started itself was killed. */
const HELPER_KILLED = /died of signal (9|15)\b/;
/** Somebody's `git status` in a worktree holds its index for a moment, and git waits for no such lock. */
const LOCKED = /Unable to create '.+\.lock': File exists/;

/** Another process is at the same thing, and perhaps somebody was asked not to wait for it. */
const BUSY: ReadonlySet<ErrorCode> = new Set(['E_BUSY', 'E_INTERRUPTED', 'E_TERMINATED']);

/** Whether the same may well work a moment later: git was killed from outside, or another process is at the same thing. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  if (BUSY.has(error.code)) return true;
  const isSaid = (fact: string): boolean => HELPER_KILLED.test(fact) || LOCKED.test(fact);
  return error.code === 'E_GIT' && (KILLED.test(error.message) || error.facts.some(isSaid));
}
