import { notedWorktrees, readLoopNote, carriesOurLock } from '../worktrees/loop-notes.ts';
import { isBelow, worktreeOf } from '../git/files/worktree-admin.ts';
import { allIntents } from '../worktrees/half-made.ts';
import { listPool } from '../worktrees/worktree-pool.ts';
import { isBlankOfOurs } from './blank-entry.ts';
import type { RepairPlace } from './repair.ts';

/** Whether git's entry of a worktree says itself that it is ours. A worktree of the user's may well lie below our folder. */
export const saysOurs = (adminDir: string): boolean => carriesOurLock(adminDir) || readLoopNote(adminDir) !== null;

/** Whether a broken entry below `.git/worktrees` is ours: by its lock, its note, or where its worktree is or was to be. */
export function isOurs(place: RepairPlace, adminDir: string): boolean {
  const { repo, worktreeRoot } = place;
  if (saysOurs(adminDir)) return true;
  const path = worktreeOf(adminDir);
  if (path === null) return isBlankOfOurs(place, adminDir);
  return (
    isBelow(worktreeRoot, path) ||
    allIntents(repo).some((intent) => intent.path === path) ||
    listPool(repo).some((entry) => entry.path === path)
  );
}

/** Branches that are ours beyond doubt: named beside a worktree of ours, or noted before one was begun. */
export function ourBranches({ repo }: RepairPlace): ReadonlySet<string> {
  const noted = notedWorktrees(repo).map(({ note }) => note.branch);
  return new Set([...noted, ...allIntents(repo).map(({ branch }) => branch)]);
}
