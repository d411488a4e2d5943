import { join } from 'node:path';
import { readIfThere } from '../../os/read-if-there.ts';
import { gitFoldersOf } from './git-folders.ts';

/** How an index begins to tell of another one that holds its entries: a word, and a small number of bytes. */
const SPLIT = 'link\0\0';
/** From this version on a name is only what it has that the one before has not. */
const SHORTENED = 4;

export const isSplit = (index: Buffer): boolean => index.includes(SPLIT);

/** Whether git may know a file below a folder at the top of a worktree, told without a process. */
export function mayTrackBelow(cwd: string, folder: string): boolean {
  const place = gitFoldersOf(cwd);
  const index = place === null ? null : readIfThere(join(place.gitDir, 'index'));
  if (index === null || index.length < 8) return true;
  return index.readUInt32BE(4) >= SHORTENED || isSplit(index) || index.includes(`${folder}/`);
}
