import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { adminDirOf } from '../git/worktree-admin.ts';
import type { RepairPlace } from './repair.ts';

/**
 * Whether an entry that says nothing of itself any more is ours: a power cut leaves all its files empty. git names an entry
 * after its folder, so it belongs to the folder of that name below ours, unless that one is known to lead elsewhere.
 */
export function isBlankOfOurs({ repo, worktreeRoot }: RepairPlace, adminDir: string): boolean {
  if (textOf(join(adminDir, 'gitdir')) !== '' || textOf(join(adminDir, 'locked')) !== '') return false;
  const folder = join(worktreeRoot, basename(adminDir));
  const pointer = textOf(join(folder, '.git'));
  const leadsHere = pointer === '' || pointer.endsWith(`/worktrees/${basename(adminDir)}`);
  return existsSync(folder) && leadsHere && adminDirOf(repo, folder) === null;
}

/** Empty where there is no such file. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
