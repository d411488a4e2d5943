import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findBrokenEntries, findSettledBroken, remedyOf } from '../git/files/broken-entries.ts';
import { deadIntents } from '../worktrees/half-made.ts';
import { worktreeMutex } from '../worktrees/worktrees.ts';
import { withMutex } from '../processes/mutex.ts';
import { describeTakenBack, healWorktreeEntries } from '../keep/heal-entries.ts';
import { isOurs } from './ours.ts';
import { fixable, foreign } from './repair.ts';
import { readRefFile } from '../git/refs/ref-files.ts';
import { realpathLoose } from '../git/files/worktree-admin.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { readLoopNote } from '../worktrees/loop-notes.ts';
import type { Repair, RepairPlace } from './repair.ts';

const CHECK = 'worktrees';

/** Worktrees that were never finished, and entries that keep git from working at all: found and moved without git. */
export function entriesRepair(place: RepairPlace): Repair {
  const { repo } = place;
  return {
    check: CHECK,
    look: async () => [
      ...deadIntents(repo).map(({ path }) => fixable(CHECK, `half-made worktree ${path}`)),
      ...(await findSettledBroken(repo)).map((entry) => {
        const { path, why, blocks } = entry;
        return isOurs(place, path)
          ? fixable(CHECK, `broken worktree entry ${path}: ${why}`, 'fail')
          : foreign(
              CHECK,
              'fail',
              `broken worktree entry ${path}, not made by paralph: ${why}${blocks ? '; most git commands fail on it' : ''}`,
              remedyOf(entry),
            );
      }),
    ],
    fix: async () => {
      if (!isAnythingThere(place)) return [];
      const mended = await withMutex(worktreeMutex(repo), async () =>
        findBrokenEntries(repo).filter(({ path }) => isOurs(place, path) && mendEntry(place, path)),
      );
      const { takenBack, quarantined } = await healWorktreeEntries(repo, (adminDir) => isOurs(place, adminDir));
      return [
        ...mended.map(({ path, why }) => `mended the worktree entry ${path}: ${why}`),
        ...takenBack.map(describeTakenBack),
        ...quarantined.map((path) => `moved a broken worktree entry to ${path}`),
      ];
    },
  };
}

/** Most starts find nothing, and should not even take a mutex for it. */
function isAnythingThere({ repo }: RepairPlace): boolean {
  const halfMade = join(repo.stateDir, 'half-made');
  return (existsSync(halfMade) && readdirSync(halfMade).length > 0) || findBrokenEntries(repo).length > 0;
}

/** What git writes for every linked worktree. */
const TO_COMMON_DIR = '../..\n';

/**
 * Puts the three small files of an entry back from what its note and its worktree tell. A note stands only beside a worktree
 * that was finished once, so the files were whole and something else spoilt them. True: the entry is sound again.
 */
function mendEntry(place: RepairPlace, adminDir: string): boolean {
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
