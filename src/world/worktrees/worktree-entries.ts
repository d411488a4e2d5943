import { join } from 'node:path';
import { textIfThere } from '../os/read-if-there.ts';

/** Every lock reason of ours starts with this, so that an entry tells whose it is even when it was cut short. */
export const LOCK_REASON = 'paralph worktree';

/** Why git's entry of a worktree is locked; empty: it is not. */
export const lockOf = (adminDir: string): string => textIfThere(join(adminDir, 'locked'));

/** Whether git's entry of a worktree was made by us. */
export const carriesOurLock = (adminDir: string): boolean => lockOf(adminDir).startsWith(LOCK_REASON);
