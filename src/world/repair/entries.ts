import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findBrokenEntries, findSettledBroken, remedyOf } from '../git/files/broken-entries.ts';
import { deadIntents } from '../worktrees/half-made.ts';
import { worktreeMutex } from '../worktrees/worktrees.ts';
import { withMutex } from '../processes/mutex.ts';
import { describeTakenBack, healWorktreeEntries } from '../keep/heal-entries.ts';
import { mendEntry } from './mend-entry.ts';
import { isOurs } from './ours.ts';
import { fixable, foreign } from './repair.ts';
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
              `broken worktree entry ${path}, not ours: ${why}${blocks ? '; most git commands fail on it' : ''}`,
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
        ...quarantined.map((path) => `moved a broken worktree entry of ours to ${path}`),
      ];
    },
  };
}

/** Most starts find nothing, and should not even take a mutex for it. */
function isAnythingThere({ repo }: RepairPlace): boolean {
  const halfMade = join(repo.stateDir, 'half-made');
  return (existsSync(halfMade) && readdirSync(halfMade).length > 0) || findBrokenEntries(repo).length > 0;
}
