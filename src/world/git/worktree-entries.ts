import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withMutex } from '../mutex.ts';
import { type BrokenEntry, findBrokenEntries } from './broken-entries.ts';
import type { Repository } from './repository.ts';
import { deadIntents } from './worktree-intents.ts';
import { removeHalfMade, worktreeMutex } from './worktrees.ts';

/** Every lock reason of ours starts with this, so that an entry tells whose it is even when it was cut short. */
export const LOCK_REASON = 'paralph worktree';

const LOOKS_MAX = 3;
const BETWEEN_LOOKS_MS = 100;

export interface HealedEntries {
  /** Folders of worktrees that were never finished, and are gone. */
  readonly removed: readonly string[];
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
  const removed: string[] = [];
  for (const halfMade of deadIntents(repo)) {
    await removeHalfMade(repo, halfMade);
    removed.push(halfMade.path);
  }
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
  return { removed, quarantined };
}

/** Whether git's entry of a worktree was made by us. */
export function carriesOurLock(path: string): boolean {
  try {
    return readFileSync(join(path, 'locked'), 'utf8').startsWith(LOCK_REASON);
  } catch {
    return false;
  }
}

/** Moved, not deleted: the entry may hold an index. */
function quarantine(repo: Repository, entry: BrokenEntry): string {
  const folder = join(repo.stateDir, 'quarantine');
  mkdirSync(folder, { recursive: true });
  const place = join(folder, `${entry.name}-${Date.now().toString(36)}`);
  renameSync(entry.path, place);
  return place;
}
