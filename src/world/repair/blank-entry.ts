import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import { textIfThere } from '../os/read-if-there.ts';
import type { RepairPlace } from './repair.ts';

/**
 * Whether an entry that says nothing of itself any more is ours: a power cut leaves all its files empty. git names an entry
 * after its folder, so it belongs to the folder of that name below ours, unless that one is known to lead elsewhere.
 */
export function isBlankOfOurs({ repo, worktreeRoot }: RepairPlace, adminDir: string): boolean {
  if (says(adminDir, 'gitdir') !== '' || says(adminDir, 'locked') !== '') return false;
  const folder = join(worktreeRoot, basename(adminDir));
  const pointer = says(folder, '.git');
  const leadsHere = pointer === '' || pointer.endsWith(`/worktrees/${basename(adminDir)}`);
  return existsSync(folder) && leadsHere && adminDirOf(repo, folder) === null;
}

const says = (folder: string, name: string): string => textIfThere(join(folder, name)).trim();
