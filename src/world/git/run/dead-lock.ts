import { rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../core/model/errors.ts';
import { type Sought, gitsAtWork } from './git-processes.ts';
import { ifThere } from '../../os/read-if-there.ts';

const PATIENCE_MS = 3000;
const LOOK_AGAIN_MS = 50;

/** The lock that git says is in its way; null: something else is. */
export function lockInTheWay(stderr: string): string | null {
  return /Unable to create '(.+\.lock)': File exists/.exec(stderr)?.[1] ?? null;
}

/**
 * Removes a lock whose git was killed. Whoever made it was there when it was first seen: when every git of that moment has
 * ended and the lock is still the same, nobody holds it. True: it is out of the way. A git that stands still keeps its lock.
 */
export async function outlastLock(lock: string, sought: Sought): Promise<boolean> {
  const seen = signOf(lock);
  if (seen === null) return true;
  const suspects = await gitsAtWork(sought);
  for (let waitedMs = 0; waitedMs <= PATIENCE_MS; waitedMs += LOOK_AGAIN_MS) {
    if (signOf(lock) !== seen) return true;
    const there = new Set(await gitsAtWork(sought));
    if (!suspects.some((pid) => there.has(pid))) {
      if (signOf(lock) === seen) rmSync(lock, { force: true });
      return true;
    }
    await sleep(LOOK_AGAIN_MS);
  }
  return false;
}

/** Does something to a ref of ours, once more if only the lock of a git that was killed is in its way. */
export async function pastDeadLock<T>(ref: string, sought: Sought, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const lock = error instanceof AppError ? lockInTheWay(error.facts.join('\n')) : null;
    if (lock?.endsWith(`/${ref}.lock`) !== true || !(await outlastLock(lock, sought))) throw error;
    return act();
  }
}

/** Another lock under the same name is another file. */
function signOf(lock: string): string | null {
  const stat = ifThere(() => statSync(lock, { throwIfNoEntry: false }));
  return stat === undefined ? null : `${stat.ino} ${stat.ctimeMs}`;
}
