import { AppError } from '../../core/model/errors.ts';
import { reach } from '../os/failpoint.ts';
import { isAncestor, mergeBases } from '../git/merge/merge.ts';
import { readChanges } from '../git/objects/raw-changes.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { moveRef, readRef } from '../git/refs/refs.ts';
import { treeOf } from '../git/objects/trees.ts';
import { operationIn } from '../git/files/worktree-admin.ts';
import { gitDirOf, treeOfFiles, stagedChanges, readInPlaceNote, writeInPlaceNote } from './in-place-note.ts';
import type { LoopId, Sha } from '../../core/model/ids.ts';
import type { WorkBefore } from '../contract/world.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';
import type { InPlaceNote } from './in-place-note.ts';

export interface CheckoutPlace {
  readonly repo: Repository;
  readonly view: GitView;
}

export interface CheckoutOrder {
  readonly path: string;
  /** Takes the loop's commits: the one that stands there, or one of its own. */
  readonly branch: string;
  readonly loop: LoopId;
  /** Null: whatever stands there is the person's own. */
  readonly after?: WorkBefore | null;
}

export interface TakenCheckout {
  readonly base: Sha;
  readonly baseTree: Sha;
  readonly head: Sha;
  readonly tree: Sha;
}

/** Begins to work in a person's checkout: writes down what is theirs in it, and gives the loop's commits a branch. Changes no file. */
export async function takeCheckout(place: CheckoutPlace, order: CheckoutOrder): Promise<TakenCheckout> {
  const { repo, view } = place;
  const gitDir = gitDirOf(repo, order.path);
  const head = readHeadFile(repo.commonDir, gitDir);
  const operation = operationIn(gitDir);
  if (operation !== null) throw busy(order.path, `a ${operation} is under way`, 'git status');
  if (head?.commit == null) throw busy(order.path, 'it has no commit to start from', 'git log -1');
  const found = readInPlaceNote(repo, order.loop);
  const note = found ?? (await beginNote(place, order, { start: head.commit, home: head.branch }));
  if (note === null) return takeCheckout(place, order);
  const ref = `refs/heads/${order.branch}`;
  const tip = await readRef(view, ref);
  if (tip === null) await moveRef(view, ref, note.start, null, 'paralph: a loop begins in place');
  reach('place.taken');
  const at = tip ?? note.start;
  const base = (await forkOf(view, note.start, order.after ?? null)) ?? note.start;
  const without = order.after?.isThrownAway === true ? note.start : base;
  return { base, baseTree: await treeOf(view, without), head: at, tree: await treeOf(view, at) };
}

/** What a loop before this one committed here lands with it, so all of it is looked at. Null: it is not there any more. */
async function forkOf(view: GitView, start: Sha, after: WorkBefore | null): Promise<Sha | null> {
  if (after === null || !(await isAncestor(view, after.head, start))) return null;
  const [fork = null] = await mergeBases(view, after.integration, start);
  return fork;
}

/** Null: while it looked, somebody committed or published there, and what is theirs must be told from that once more. */
async function beginNote(
  { repo, view }: CheckoutPlace,
  { path, loop }: CheckoutOrder,
  { start, home }: { readonly start: Sha; readonly home: string | null },
): Promise<InPlaceNote | null> {
  const files = await treeOfFiles(repo, path);
  const found = [...(await readChanges(view, await treeOf(view, start), files)), ...(await stagedChanges(path, start))];
  const now = readHeadFile(repo.commonDir, gitDirOf(repo, path));
  if (now?.commit !== start || now.branch !== home) return null;
  const mine = [...new Set(found.map((change) => change.path))];
  const note = {
    version: 1,
    start,
    home,
    standing: null,
    files,
    mine,
    index: [],
    isKept: false,
    taken: [],
    own: [],
  } as const;
  writeInPlaceNote(repo, loop, note);
  reach('place.noted');
  return note;
}

const busy = (path: string, why: string, remedy: string): AppError =>
  new AppError('E_BUSY', `no loop can work in ${path}: ${why}`, { remedy });
