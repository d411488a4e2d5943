import { existsSync, lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import { commitTree } from '../git/objects/commit.ts';
import { reach } from '../os/failpoint.ts';
import { unsigned } from '../git/run/identity.ts';
import { lastHead } from '../git/refs/look-up-ref.ts';
import { notWithin } from '../git/objects/history.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { listRefs, readRef } from '../git/refs/refs.ts';
import { changedPaths, treeOf } from '../git/objects/trees.ts';
import { adminDirOf, operationIn } from '../git/files/worktree-admin.ts';
import { captureFolder } from '../git/files/capture.ts';
import { writeKeepMessage } from './keep-message.ts';
import { KEPT, keepId, nameKept, findCutShort, findSameKeep } from './list-keeps.ts';
import { captureOperation } from './operation-state.ts';
import type { LoopId, Sha } from '../../core/model/ids.ts';
import type { Identity } from '../git/run/identity.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';
import type { Head } from '../git/files/worktree-state.ts';
import type { Captured } from '../git/files/capture.ts';
import type { KeepAct, KeepNote } from './keep-message.ts';
import type { Keep } from './list-keeps.ts';

export interface KeepPlace {
  readonly repo: Repository;
  readonly view: GitView;
  readonly identity: Identity;
  /** Ignored files that are kept all the same. Patterns as in `protect`. */
  readonly ignored: readonly string[];
}

export interface Kept {
  /** What people type. */
  readonly id: string;
  readonly ref: string;
  readonly commit: Sha;
  /** Uncommitted files in it. */
  readonly files: number;
  /** Repositories inside the worktree: they are not kept, so the folder must stay. */
  readonly embedded: readonly string[];
  /** The keeps of commits that were left there on no branch. */
  readonly left?: readonly string[];
}

interface Order {
  readonly act: KeepAct;
  readonly why: string;
  readonly loop?: LoopId | null;
  readonly task?: string | null;
  readonly branch?: string | null;
  /** The same for everything that one call takes away. */
  readonly together?: string | null;
}

export interface WorktreeOrder extends Order {
  readonly path: string;
  /** Makes a keep even of what a ref holds already: something is about to go, and can be taken back only by what is written down. */
  readonly always?: boolean;
  /** The commit it stands on is a candidate of ours, which can be made again. */
  readonly isCandidate?: boolean;
}

export interface CommitOrder extends Order {
  readonly commit: Sha;
  /** Whose it is: a loop, or what it was found in. */
  readonly name: string;
}

/**
 * The one door before anything is taken away: a worktree's commits, index, changed and new files become a commit under a
 * keep ref, safe against a power cut, and the worktree stays as it is. Null: a ref of ours holds all of it already. The
 * caller has made sure that no process works there.
 */
export async function keepWorktree(place: KeepPlace, order: WorktreeOrder): Promise<Kept | null> {
  const { repo, view } = place;
  const adminDir = adminDirOf(repo, order.path);
  const branch = order.branch ?? null;
  const tip = branch === null ? null : await readRef(view, `refs/heads/${branch}`);
  const head = await standing(place, adminDir, tip);
  const captured = existsSync(order.path)
    ? await captureFolder(place, { path: order.path, adminDir, head: head.commit })
    : null;
  reach('keep.snapshot');
  if (captured === null) {
    const earlier = await cutShort(view, order, tip, order.path);
    if (earlier !== null || head.commit === null) return earlier;
  }
  const headTree = head.commit === null ? null : await treeOf(view, head.commit);
  const tree = captured?.tree ?? headTree;
  if (tree === null) return null;
  const heads = [head.commit, tip].filter((commit) => commit !== null);
  const isBare = captured === null || (captured.index === null && captured.unmerged.length === 0 && tree === headTree);
  const odd = captured === null ? [] : [...captured.embedded.map(toText), ...strangeGit(order.path)];
  const isUnderWay = adminDir !== null && operationIn(adminDir) !== null;
  if (
    isBare &&
    odd.length === 0 &&
    !isUnderWay &&
    order.always !== true &&
    (order.isCandidate === true || (await areHeld(view, heads)))
  )
    return null;
  const { operation, further } = await operationOf(place, captured, adminDir, isUnderWay, heads);
  const index = captured?.index == null ? null : await aside(place, captured.index, head.commit, 'the index');
  const note: KeepNote = {
    act: order.act,
    why: order.why,
    loop: order.loop ?? null,
    task: order.task ?? null,
    branch,
    tip,
    path: captured === null ? null : order.path,
    atMs: Date.now(),
    head: head.commit,
    on: head.branch,
    index,
    operation,
    files: await countFiles(view, headTree, tree),
    together: order.together ?? null,
  };
  const parents = [head.commit, index, operation, tip, ...further].filter((commit) => commit !== null);
  const kept = await write(place, note, tree, parents, order.loop ?? basename(branch ?? order.path));
  return { ...kept, files: note.files, embedded: odd };
}

/** Names a commit that is about to lose its last ref, and says why. */
export async function keepCommit(place: KeepPlace, order: CommitOrder): Promise<Kept> {
  const earlier = order.loop == null ? null : await cutShort(place.view, order, order.commit, null);
  if (earlier !== null) return earlier;
  const note: KeepNote = {
    act: order.act,
    why: order.why,
    loop: order.loop ?? null,
    task: order.task ?? null,
    branch: order.branch ?? null,
    tip: order.commit,
    path: null,
    atMs: Date.now(),
    head: order.commit,
    on: null,
    index: null,
    operation: null,
    files: 0,
    together: order.together ?? null,
  };
  const kept = await write(place, note, await treeOf(place.view, order.commit), [order.commit], order.name);
  return { ...kept, files: 0, embedded: [] };
}

async function cutShort(view: GitView, order: Order, tip: Sha | null, path: string | null): Promise<Kept | null> {
  const { act, loop = null, branch = null } = order;
  const found = await findCutShort(view, { act, loop, branch, tip, path });
  return found === null ? null : { ...pick(found), files: found.files, embedded: [] };
}

const pick = ({ id, ref, commit }: Keep): Pick<Kept, 'id' | 'ref' | 'commit'> => ({ id, ref, commit });

/** Asked twice for the same, as after a crash, it gives the same. */
async function write(
  place: KeepPlace,
  note: KeepNote,
  tree: Sha,
  parents: readonly Sha[],
  name: string,
): Promise<Pick<Kept, 'id' | 'ref' | 'commit'>> {
  const { view, identity } = place;
  const same = await findSameKeep(view, note, tree);
  if (same !== null) return pick(same);
  const commit = await commitTree(view, {
    tree,
    parents,
    identity: unsigned(identity),
    message: writeKeepMessage(note),
  });
  const ref = await nameKept(view, { name, commit, reason: `paralph: kept before ${note.act}`, durable: true });
  return { id: keepId(ref), ref, commit };
}

/** Where the worktree stands. A branch that was deleted under it counts as where HEAD last was. */
async function standing({ repo, view }: KeepPlace, adminDir: string | null, tip: Sha | null): Promise<Head> {
  if (adminDir === null) return { commit: tip, branch: null };
  const head = readHeadFile(repo.commonDir, adminDir) ?? { commit: null, branch: null };
  const commit = head.commit ?? (head.branch === null ? tip : lastHead(adminDir));
  return { branch: head.branch, commit: commit !== null && (await isCommit(view, commit)) ? commit : null };
}

/** Whether refs of ours reach all of these; asked at once, for there may be many refs. */
async function areHeld(view: GitView, heads: readonly Sha[]): Promise<boolean> {
  const refs = [...(await listRefs(view, 'refs/paralph/int/')), ...(await listRefs(view, `${KEPT}/`))];
  const held = refs.map(([, commit]) => commit);
  return (await notWithin(view, heads, held)).size === 0;
}

async function operationOf(
  place: KeepPlace,
  captured: Captured | null,
  adminDir: string | null,
  isUnderWay: boolean,
  heads: readonly Sha[],
): Promise<{ readonly operation: Sha | null; readonly further: readonly Sha[] }> {
  if (captured === null || (!isUnderWay && captured.unmerged.length === 0)) return { operation: null, further: [] };
  const found = await captureOperation(place, adminDir, captured.unmerged);
  const operation = await aside(place, found.tree, heads[0] ?? null, 'an operation under way');
  return { operation, further: found.heads };
}

function aside({ view, identity }: KeepPlace, tree: Sha, parent: Sha | null, what: string): Promise<Sha> {
  const parents = parent === null ? [] : [parent];
  return commitTree(view, { tree, parents, identity: unsigned(identity), message: `Keep ${what}\n` });
}

/** The folder's `.git` is a repository of its own instead of a pointer to ours: what is in there is not kept. */
function strangeGit(path: string): readonly string[] {
  return lstatSync(join(path, '.git'), { throwIfNoEntry: false })?.isDirectory() === true ? ['.git'] : [];
}

async function countFiles(view: GitView, from: Sha | null, to: Sha): Promise<number> {
  if (from === to) return 0;
  if (from !== null) return (await changedPaths(view, from, to)).length;
  const { stdout } = await view.run(['ls-tree', '-r', '-z', '--name-only', to]);
  return stdout.split('\0').length - 1;
}

async function isCommit(view: GitView, commit: Sha): Promise<boolean> {
  return (await view.run(['cat-file', '-e', `${commit}^{commit}`], { ok: [0, 1, 128] })).code === 0;
}

const toText = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');
