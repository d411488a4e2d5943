import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findBrokenEntries } from '../git/files/broken-entries.ts';
import { readRefFile } from '../git/refs/ref-files.ts';
import { realpathLoose } from '../git/files/worktree-admin.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { readLoopNote } from '../worktrees/loop-notes.ts';
import type { RepairPlace } from './repair.ts';

/** What git writes for every linked worktree. */
const TO_COMMON_DIR = '../..\n';

/**
 * Puts the three small files of an entry back from what its note and its worktree tell. A note stands only beside a worktree
 * that was finished once, so the files were whole and something else spoilt them. True: the entry is sound again.
 */
export function mendEntry(place: RepairPlace, adminDir: string): boolean {
  const note = readLoopNote(adminDir);
  const folder = worktreeThatPointsTo(place, adminDir);
  // Whoever removes a worktree removes its folder first.
  if (note === null || folder === null) return false;
  const ref = `refs/heads/${note.branch}`;
  const parts: readonly (readonly [name: string, isSound: RegExp, content: string | null])[] = [
    ['commondir', /\S/, TO_COMMON_DIR],
    [
      'HEAD',
      /^(ref: refs\/.+|(?!0+$)[0-9a-f]{40,64})$/,
      readRefFile(place.repo.commonDir, ref) == null ? null : `ref: ${ref}\n`,
    ],
    ['gitdir', /\S/, `${join(folder, '.git')}\n`],
  ];
  for (const [name, isSound, content] of parts) {
    if (isSound.test(textIfThere(join(adminDir, name)).trim())) continue;
    if (content === null) return false;
    writeFileSync(join(adminDir, name), content);
  }
  return !findBrokenEntries(place.repo).some(({ path }) => path === adminDir);
}

function worktreeThatPointsTo({ worktreeRoot }: RepairPlace, adminDir: string): string | null {
  if (!existsSync(worktreeRoot)) return null;
  const folders = readdirSync(worktreeRoot).map((name) => join(worktreeRoot, name));
  return folders.find((folder) => leadsTo(folder) === realpathLoose(adminDir)) ?? null;
}

function leadsTo(folder: string): string | null {
  const named = /^gitdir: (.+)$/m.exec(textIfThere(join(folder, '.git')))?.[1];
  return named === undefined ? null : realpathLoose(resolve(folder, named));
}
