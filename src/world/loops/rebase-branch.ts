import { existsSync } from 'node:fs';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { mergeMainMessage } from '../../text/commit-message.ts';
import { lookAtChanges, headOf } from '../git/files/worktree-state.ts';
import { commitTree } from '../git/objects/commit.ts';
import { isAncestor, mergeInMemory } from '../git/merge/merge.ts';
import { replayInMemory } from '../git/merge/replay.ts';
import { landRef, readRef } from '../git/refs/refs.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { isCheckedOut, operationIn, soundAdminDir } from '../git/files/worktree-admin.ts';
import { withCheckoutSlot } from '../worktrees/worktrees.ts';
import { nameKept } from '../keep/list-keeps.ts';
import { settleByRule } from '../git/merge/settle-conflicts.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { KeepPlace } from '../keep/keep.ts';

export interface RebaseOrder {
  readonly loop: string;
  readonly branch: string;
  /** Its worktree, in which nobody works; null: it has none. */
  readonly path: string | null;
  readonly base: Sha;
  /** What the base is called. */
  readonly target: string;
}

export type Rebased =
  | { readonly how: 'current'; readonly from: Sha }
  /** `merged`: its commits do not come out the same one by one, so the base was merged in. */
  | { readonly how: 'rebased' | 'merged'; readonly from: Sha; readonly to: Sha; readonly kept: string }
  | { readonly how: 'conflict'; readonly from: Sha; readonly paths: readonly string[] };

/** Brings a branch up to date with its base, in memory; what it was stays under a keep ref. A conflict changes nothing. */
export async function rebaseBranch(place: KeepPlace, order: RebaseOrder): Promise<Rebased> {
  const { view } = place;
  const { loop, branch, base, path } = order;
  const from = await readRef(view, `refs/heads/${branch}`);
  if (from === null) throw new AppError('E_GIT', `the branch ${branch} is gone`, { remedy: 'ralph keep list' });
  if (await isAncestor(view, base, from)) return { how: 'current', from };
  await refuseBusy(place, order);
  const merged = await settleByRule(view, await mergeInMemory(view, base, from, base));
  if (!merged.clean) return { how: 'conflict', from, paths: merged.paths };
  const replayed = await replay(place, order, from, merged.tree);
  const message = mergeMainMessage(order.target, loop, []);
  const { identity } = place;
  const to = replayed ?? (await commitTree(view, { tree: merged.tree, parents: [from, base], message, identity }));
  const kept = await nameKept(view, { name: loop, commit: from, reason: 'paralph: kept before rebase', durable: true });
  const move = await landRef(view, `refs/heads/${branch}`, to, from, 'paralph: brought up to date');
  if (!move.moved) throw inTheWay(`the branch ${branch} was moved meanwhile`, place.repo.root);
  if (path !== null && existsSync(path))
    await withCheckoutSlot(() => runGit([...HARDENED, 'reset', '-q', '--hard'], { cwd: path }));
  return { how: replayed === null ? 'merged' : 'rebased', from, to, kept };
}

/** Its commits one by one on the base, if that ends in the very tree that merging gives. */
async function replay({ view, identity }: KeepPlace, { base }: RebaseOrder, from: Sha, tree: Sha): Promise<Sha | null> {
  const replayed = await replayInMemory(view, base, from, base, identity);
  if (replayed === null || replayed.at(-1)?.tree !== tree) return null;
  let parent = base;
  for (const one of replayed) parent = await commitTree(view, { ...one, parents: [parent], identity });
  return parent;
}

/** Nothing of a person's may be in the way, and nobody else may stand on the branch. */
async function refuseBusy({ repo }: KeepPlace, { branch, path }: RebaseOrder): Promise<void> {
  if (path === null || !existsSync(path)) {
    if (isCheckedOut(repo, branch)) throw inTheWay(`the branch ${branch} is checked out in a worktree`, repo.root);
    return;
  }
  const operation = operationIn(soundAdminDir(repo, path));
  if (operation !== null) throw inTheWay(`${path} is in the middle of a ${operation}`, path);
  if ((await headOf(path)).branch !== branch) throw inTheWay(`${path} is not on ${branch}`, path);
  if (!(await lookAtChanges(path)).clean) throw inTheWay(`${path} has uncommitted changes`, path);
}

const inTheWay = (message: string, path: string): AppError =>
  new AppError('E_NEEDS_PERSON', message, { remedy: `git -C ${shellWord(path)} status` });
