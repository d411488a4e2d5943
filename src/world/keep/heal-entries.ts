import { mkdirSync, renameSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrokenEntry } from '../git/files/broken-entries.ts';
import { findBrokenEntries } from '../git/files/broken-entries.ts';
import type { Repository } from '../git/run/repository.ts';
import { carriesOurLock, LOCK_REASON, lockOf } from '../worktrees/loop-notes.ts';
import { deadIntents, lookAtHalfMade } from '../worktrees/half-made.ts';
import { worktreeMutex, removeHalfMade } from '../worktrees/worktrees.ts';
import { withMutex } from '../processes/mutex.ts';
import { AppError } from '../../core/model/errors.ts';
import { FEATURE_LOCK } from '../worktrees/feature-note.ts';
import { readIdentity } from '../git/run/identity.ts';
import { openView } from '../git/run/view.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import { NOBODY, takeAway } from './take-away.ts';
import type { HalfMade } from '../worktrees/half-made.ts';

const LOOKS_MAX = 3;
const BETWEEN_LOOKS_MS = 100;

interface HealedEntries {
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
  if (stays) return `the worktree ${path} was never finished, but it holds work: it stays`;
  return `removed the half-made worktree ${path}${kept === null ? '' : `; what was done in it is kept as ${kept}`}`;
}

/** Moved, not deleted: the entry may hold an index. */
function quarantine(repo: Repository, entry: BrokenEntry): string {
  const folder = join(repo.stateDir, 'quarantine');
  mkdirSync(folder, { recursive: true });
  const place = join(folder, `${entry.name}-${Date.now().toString(36)}`);
  renameSync(entry.path, place);
  return place;
}

interface TakenBack {
  readonly path: string;
  /** Somebody works there, and it is theirs from now on. */
  readonly stays: boolean;
  /** The id of what was kept; null: there was nothing but files of its base. */
  readonly kept: string | null;
}

/**
 * Takes back a worktree whose maker died. What somebody did in it since is kept first; a person's that has become whole
 * is left to them.
 */
export async function takeBackHalfMade(repo: Repository, made: HalfMade): Promise<TakenBack> {
  let kept: string | null = null;
  const isGone = await removeHalfMade(repo, made, async () => {
    const adminDir = adminDirOf(repo, made.path);
    if (adminDir === null) return true;
    const { holdsWork, isCheckedOut } = await lookAtHalfMade(repo, made, adminDir);
    if (!holdsWork) return true;
    if (isTheirs(repo, adminDir, isCheckedOut)) return false;
    kept = await keepAndRemove(repo, made);
    return kept !== null;
  });
  return { path: made.path, stays: !isGone, kept };
}

/** A loop would find its branch taken by a worktree that it cannot go on with, so that of a loop never stays. */
function isTheirs(repo: Repository, adminDir: string, isCheckedOut: boolean): boolean {
  const lock = lockOf(adminDir);
  if (!lock.startsWith(LOCK_REASON)) return true;
  const isSound = !findBrokenEntries(repo).some(({ path }) => path === adminDir);
  return lock.startsWith(FEATURE_LOCK) && isCheckedOut && isSound;
}

/** Null: it holds a repository of its own, which no ref can keep. */
async function keepAndRemove(repo: Repository, { path, branch }: HalfMade): Promise<string | null> {
  const identity = await readIdentity(repo).catch(() => NOBODY);
  // No checkout wrote what is ignored there, so nothing would write it again.
  const place = { repo, view: await openView(repo), identity, ignored: ['**'], worktreeRoot: dirname(path) };
  try {
    const order = { path, branch: branch === '' ? null : branch, takesBranch: false };
    const why = 'it was never finished, and it held work';
    return (await takeAway(place, { ...order, act: 'repair', why }))?.id ?? null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'E_NEEDS_PERSON') return null;
    throw error;
  }
}
