import { AppError } from '../core/errors.ts';

const KILLED = /was ended by SIG[A-Z]+\.?$/;

/** Whether the same may well work a moment later: git was killed from outside, or another process is at the same thing. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof AppError && (error.code === 'E_BUSY' || (error.code === 'E_GIT' && KILLED.test(error.message)))
  );
}
