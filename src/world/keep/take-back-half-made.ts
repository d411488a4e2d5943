import { dirname } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { FEATURE_LOCK } from '../worktrees/feature-place.ts';
import { findBrokenEntries } from '../git/files/broken-entries.ts';
import { lookAtHalfMade } from '../worktrees/half-made.ts';
import { readIdentity } from '../git/run/identity.ts';
import type { Repository } from '../git/run/repository.ts';
import { openView } from '../git/run/view.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import { LOCK_REASON, lockOf } from '../worktrees/worktree-entries.ts';
import type { HalfMade } from '../worktrees/worktree-intents.ts';
import { removeHalfMade } from '../worktrees/worktrees.ts';
import { NOBODY } from './open-keep.ts';
import { takeAway } from './take-away.ts';

export interface TakenBack {
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
    const why = 'its making was cut short, and somebody had worked in it';
    return (await takeAway(place, { ...order, act: 'repair', why }))?.id ?? null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'E_NEEDS_PERSON') return null;
    throw error;
  }
}
