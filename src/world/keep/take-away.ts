import { rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/errors.ts';
import type { Sha } from '../../core/ids.ts';
import { shellWord } from '../../core/remedy.ts';
import { reach } from '../failpoint.ts';
import { deleteRef, readRef } from '../git/refs.ts';
import { adminDirOf, isBelow, isCheckedOut } from '../git/worktree-admin.ts';
import { LOCK_REASON } from '../git/worktree-entries.ts';
import { removeWorktree } from '../git/worktrees.ts';
import { type KeepPlace, type Kept, type WorktreeOrder, keepWorktree } from './keep.ts';

export interface AwayPlace extends KeepPlace {
  /** Absolute. */
  readonly worktreeRoot: string;
}

export interface AwayOrder extends WorktreeOrder {
  /** Whether the branch was made by us and goes too. */
  readonly takesBranch: boolean;
  /** Comes when everything is kept and nothing is gone yet. */
  readonly onKept?: (kept: Kept) => Promise<void>;
}

/**
 * Keeps a worktree of ours and its branch, then removes them. Cut short anywhere, it can be done again. The caller has made
 * sure that no process works there.
 */
export async function takeAway(place: AwayPlace, order: AwayOrder): Promise<Kept | null> {
  requireOurs(place, order.path);
  const kept = await keepWorktree(place, { ...order, always: order.always ?? true });
  if (kept !== null) {
    refuseEmbedded(order.path, kept);
    await order.onKept?.(kept);
  }
  reach('clean.kept');
  await removeKept(place, order);
  return kept;
}

/** The second half, for what somebody has kept a moment ago. */
async function removeKept(place: AwayPlace, { path, branch, takesBranch }: AwayOrder): Promise<void> {
  const { repo, view, worktreeRoot } = place;
  const ref = `refs/heads/${branch ?? ''}`;
  // Read before the worktree goes: whoever moves the branch from now on keeps it.
  const tip = branch == null || !takesBranch ? null : await readRef(view, ref);
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
  reach('clean.folder');
  await removeWorktree(repo, { path, worktreeRoot });
  reach('clean.entry');
  if (tip !== null && branch != null) await dropBranch(place, branch, tip);
  reach('clean.branch');
}

/** Deletes a branch that is kept. False: somebody stands on it, or has moved it, so it stays. */
export async function dropBranch({ repo, view }: KeepPlace, branch: string, tip: Sha): Promise<boolean> {
  return !isCheckedOut(repo, branch) && (await deleteRef(view, `refs/heads/${branch}`, tip));
}

/** A worktree is ours only if it lies below our root and carries our lock; one that git does not know is nobody's we know of. */
function requireOurs({ repo, worktreeRoot }: AwayPlace, path: string): void {
  const adminDir = adminDirOf(repo, path);
  if (isBelow(worktreeRoot, path) && (adminDir === null || lockOf(adminDir).startsWith(LOCK_REASON))) return;
  throw new AppError('E_NEEDS_PERSON', `${path} is not a worktree of ours, so it stays.`, {
    remedy: `git -C ${shellWord(repo.root)} worktree list`,
  });
}

function lockOf(adminDir: string): string {
  try {
    return readFileSync(join(adminDir, 'locked'), 'utf8');
  } catch {
    return '';
  }
}

/** Refuses to remove a folder with a repository inside: its commits would be gone, and no ref of ours can name them. */
export function refuseEmbedded(path: string, { id, embedded }: Kept): void {
  const [inside] = embedded;
  if (inside === undefined) return;
  throw new AppError('E_NEEDS_PERSON', `${path} holds a repository of its own, so it stays: ${inside}`, {
    facts: [...embedded.slice(1).map((name) => `and ${name}`), `everything else in it is kept as ${id}`],
    remedy: `mv ${shellWord(join(path, inside))} somewhere safe, then try again`,
  });
}
