import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BrokenEntry, findBrokenEntries } from '../git/files/broken-entries.ts';
import type { Repository } from '../git/run/repository.ts';
import { carriesOurLock } from '../worktrees/worktree-entries.ts';
import { deadIntents } from '../worktrees/worktree-intents.ts';
import { worktreeMutex } from '../worktrees/worktrees.ts';
import { type TakenBack, takeBackHalfMade } from './take-back-half-made.ts';
import { withMutex } from '../processes/mutex.ts';

const LOOKS_MAX = 3;
const BETWEEN_LOOKS_MS = 100;

export interface HealedEntries {
  /** Worktrees that were never finished. */
  readonly takenBack: readonly TakenBack[];
  /** Where broken entries of ours were moved to. */
  readonly quarantined: readonly string[];
}

/**
 * Takes back what our own killed processes left of `git worktree add`. Comes before the first git command: one entry with an
 * empty `commondir` makes most of them fail. Entries of others stay as they are.
 */
export async function healWorktreeEntries(
  repo: Repository,
  isOurs: (adminDir: string) => boolean = carriesOurLock,
): Promise<HealedEntries> {
  const takenBack: TakenBack[] = [];
  for (const halfMade of deadIntents(repo)) takenBack.push(await takeBackHalfMade(repo, halfMade));
  const quarantined = await withMutex(worktreeMutex(repo), async () => {
    const look = (): readonly BrokenEntry[] => findBrokenEntries(repo).filter(({ path }) => isOurs(path));
    let broken = look();
    // An older version of us, or a person with our reason on a lock, may be passing through this very state.
    for (let looks = 1; looks < LOOKS_MAX && broken.length > 0; looks += 1) {
      await sleep(BETWEEN_LOOKS_MS);
      broken = look();
    }
    return broken.map((entry) => quarantine(repo, entry));
  });
  return { takenBack, quarantined };
}

/** What became of a worktree that was never finished. */
export function describeTakenBack({ path, stays, kept }: TakenBack): string {
  if (stays) return `the worktree ${path} was never finished, but somebody has worked in it: it stays`;
  return `took back the half-made worktree ${path}${kept === null ? '' : `; what was done in it is kept as ${kept}`}`;
}

/** Moved, not deleted: the entry may hold an index. */
function quarantine(repo: Repository, entry: BrokenEntry): string {
  const folder = join(repo.stateDir, 'quarantine');
  mkdirSync(folder, { recursive: true });
  const place = join(folder, `${entry.name}-${Date.now().toString(36)}`);
  renameSync(entry.path, place);
  return place;
}
