import { basename, resolve } from 'node:path';
import type { Loop, State } from '../core/model.ts';
import { isWorking, loopsOf } from '../core/model.ts';
import { isAncestor } from './git/merge.ts';
import { deleteRef, listRefs } from './git/refs.ts';
import type { Repository } from './git/repository.ts';
import type { GitView } from './git/view.ts';
import { isBelow, realpathLoose } from './git/worktree-admin.ts';
import { listPool, removeRetired } from './git/worktree-pool.ts';
import { isClean } from './git/worktree-state.ts';
import { listWorktrees, removeWorktree } from './git/worktrees.ts';
import type { Worktree } from './git/worktrees.ts';

export interface OurWorktree {
  readonly path: string;
  readonly branch: string | null;
  readonly use: 'loop' | 'pool' | 'gates' | 'orphan';
  readonly loop: Loop | null;
  /** Why it must stay; null: it holds nothing that is not landed. */
  readonly keep: string | null;
}

export interface LookOptions {
  readonly repo: Repository;
  readonly view: GitView;
  readonly state: State;
  /** Absolute. */
  readonly worktreeRoot: string;
}

/** Our worktrees and what each holds. A worktree is ours only if it lies below the root and carries our lock. */
export async function ourWorktrees(options: LookOptions): Promise<readonly OurWorktree[]> {
  const { repo, state } = options;
  const root = resolve(options.worktreeRoot);
  const pool = new Set(listPool(repo).map((entry) => realpathLoose(entry.path)));
  const found: OurWorktree[] = [];
  for (const worktree of await listWorktrees(repo)) {
    if (!isBelow(root, worktree.path) || worktree.locked?.startsWith('paralph') !== true) continue;
    const loop =
      loopsOf(state).find(
        (one) => one.worktree !== null && realpathLoose(one.worktree) === realpathLoose(worktree.path),
      ) ?? null;
    const use =
      loop !== null
        ? 'loop'
        : pool.has(realpathLoose(worktree.path))
          ? 'pool'
          : basename(worktree.path).startsWith('gate-')
            ? 'gates'
            : 'orphan';
    const keep = await reasonToKeep(options, worktree, loop, use);
    found.push({ path: worktree.path, branch: worktree.branch, use, loop, keep });
  }
  return found;
}

async function reasonToKeep(
  { view, state }: LookOptions,
  worktree: Worktree,
  loop: Loop | null,
  use: OurWorktree['use'],
): Promise<string | null> {
  if (loop !== null && isWorking(loop))
    return loop.host === null ? 'its loop was interrupted and can go on' : 'its loop is running';
  if (loop?.phase.at === 'ready') return 'its loop is ready to land';
  if (use === 'gates' || use === 'pool') return Object.keys(state.hosts).length > 0 ? 'a host is running' : null;
  if (worktree.prunable || worktree.head === null) return 'its folder is not there';
  if (!(await isClean(worktree.path))) return 'it has uncommitted work';
  // What is parked is named by a keep ref too, but a person may still want its worktree.
  const kept = loop?.phase.at === 'parked' ? [] : await listRefs(view, 'refs/paralph/keep/');
  for (const [, tip] of [...(await listRefs(view, 'refs/paralph/int/')), ...kept])
    if (await isAncestor(view, worktree.head, tip)) return null;
  return 'it has commits that have not landed';
}

/** Removes a worktree that holds nothing of its own, and its branch if that is landed too. False: somebody took it first. */
export async function cleanWorktree({ repo, view, worktreeRoot }: LookOptions, ours: OurWorktree): Promise<boolean> {
  if (ours.use === 'pool') return removeRetired(repo, { path: ours.path, worktreeRoot });
  await removeWorktree(repo, { path: ours.path, worktreeRoot });
  if (ours.loop?.head != null) await deleteRef(view, `refs/heads/${ours.loop.branch}`, ours.loop.head);
  return true;
}
