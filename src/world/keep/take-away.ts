import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { reach } from '../os/failpoint.ts';
import { hasSubmodules, requireSafeSubmodules } from '../worktrees/submodules.ts';
import { withMutex } from '../processes/mutex.ts';
import { deleteRef, readRef } from '../git/refs/refs.ts';
import { begunRemoval, removeFolder } from '../worktrees/removals.ts';
import { adminDirOf, isBelow, isCheckedOut, realpathLoose } from '../git/files/worktree-admin.ts';
import { carriesOurLock } from '../worktrees/worktree-entries.ts';
import { removeWorktree } from '../worktrees/worktrees.ts';
import { keepLeft } from './keep-left.ts';
import { listKeeps } from './list-keeps.ts';
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
  // Whoever kept it while another one removes it would keep what is left of it.
  return withMutex(awayLock(place, order.path), async () => {
    const begun = begunRemoval(place.repo, order.path);
    const { kept, tip } = begun === null ? await keepNow(place, order) : await keptBefore(place, begun.kept);
    if (kept !== null) {
      refuseEmbedded(order.path, kept);
      await order.onKept?.(kept);
    }
    reach('clean.kept');
    await removeKept(place, order, { kept, tip });
    return kept;
  });
}

interface Before {
  readonly kept: Kept | null;
  /** Where its branch stood: whoever has moved it since keeps it. */
  readonly tip: Sha | null;
}

async function keepNow(place: AwayPlace, order: AwayOrder): Promise<Before> {
  // What an agent committed or changed in a submodule is in no keep.
  if (order.isCandidate !== true && hasSubmodules(order.path)) await requireSafeSubmodules(order.path);
  const kept = await keepWorktree(place, { ...order, always: order.always ?? true });
  // What a gate worktree stood on are candidates of ours, which can be made again.
  const left = order.always === false ? [] : await keepLeft(place, order);
  return {
    kept: kept === null ? null : { ...kept, left },
    tip: order.branch == null ? null : await readRef(place.view, `refs/heads/${order.branch}`),
  };
}

/** What is left of a worktree whose removal has begun is not its work: that was kept before. */
async function keptBefore({ view }: AwayPlace, id: string | null): Promise<Before> {
  const keep = (await listKeeps(view)).find((one) => one.id === id);
  if (keep === undefined) return { kept: null, tip: null };
  const { ref, commit, files, tip } = keep;
  return { kept: { id: keep.id, ref, commit, files, embedded: [] }, tip };
}

/** The second half, for what was kept a moment ago. */
async function removeKept(place: AwayPlace, order: AwayOrder, { kept, tip }: Before): Promise<void> {
  const { repo, worktreeRoot } = place;
  const { path, branch, takesBranch } = order;
  await removeFolder(repo, path, kept?.id ?? null);
  reach('clean.folder');
  await removeWorktree(repo, { path, worktreeRoot });
  reach('clean.entry');
  if (tip !== null && branch != null && takesBranch) await dropBranch(place, branch, tip);
  reach('clean.branch');
}

export function awayLock({ repo }: AwayPlace, path: string): string {
  const digest = createHash('sha256').update(realpathLoose(path)).digest('hex').slice(0, 16);
  return join(repo.stateDir, 'locks', `away-${digest}`);
}

/** Deletes a branch that is kept. False: somebody stands on it, or has moved it, so it stays. */
export async function dropBranch({ repo, view }: KeepPlace, branch: string, tip: Sha): Promise<boolean> {
  return !isCheckedOut(repo, branch) && (await deleteRef(view, `refs/heads/${branch}`, tip));
}

/** A worktree is ours only if it lies below our root and carries our lock; one that git does not know is nobody's we know of. */
function requireOurs({ repo, worktreeRoot }: AwayPlace, path: string): void {
  const adminDir = adminDirOf(repo, path);
  if (isBelow(worktreeRoot, path) && (adminDir === null || carriesOurLock(adminDir))) return;
  throw new AppError('E_NEEDS_PERSON', `${path} is not a worktree of ours, so it stays.`, {
    remedy: `git -C ${shellWord(repo.root)} worktree list`,
  });
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
