import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../core/model/errors.ts';

/** What git says while another process is in the middle of making or removing a worktree. */
const RACE = /commondir|Invalid path|could not lock config|unable to write upstream|cannot lock ref/i;
const TRIES_MAX = 5;
const WAIT_MS = 40;

/** Others make and remove worktrees too, and do not know our mutex. */
export async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act();
    } catch (error) {
      const racing = error instanceof AppError && RACE.test([error.message, ...error.facts].join('\n'));
      if (!racing || tries === TRIES_MAX) throw error;
      await sleep(WAIT_MS * tries * (0.5 + Math.random()));
    }
  }
}
