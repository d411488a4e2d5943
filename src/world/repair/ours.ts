import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { notedWorktrees, readLoopNote, carriesOurLock } from '../worktrees/loop-notes.ts';
import { isBelow, worktreeOf, adminDirOf } from '../git/files/worktree-admin.ts';
import { allIntents } from '../worktrees/half-made.ts';
import { listPool } from '../worktrees/worktree-pool.ts';
import { textIfThere } from '../os/read-if-there.ts';
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

/**
 * Whether an entry that says nothing of itself any more is ours: a power cut leaves all its files empty. git names an entry
 * after its folder, so it belongs to the folder of that name below ours, unless that one is known to lead elsewhere.
 */
function isBlankOfOurs({ repo, worktreeRoot }: RepairPlace, adminDir: string): boolean {
  if (says(adminDir, 'gitdir') !== '' || says(adminDir, 'locked') !== '') return false;
  const folder = join(worktreeRoot, basename(adminDir));
  const pointer = says(folder, '.git');
  const leadsHere = pointer === '' || pointer.endsWith(`/worktrees/${basename(adminDir)}`);
  return existsSync(folder) && leadsHere && adminDirOf(repo, folder) === null;
}

const says = (folder: string, name: string): string => textIfThere(join(folder, name)).trim();
