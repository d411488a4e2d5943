import { reach } from '../os/failpoint.ts';
import { commitTree } from '../git/objects/commit.ts';
import { unsigned } from '../git/run/identity.ts';
import { isAncestor } from '../git/merge/merge.ts';
import { describeOmitted, findOversize, pathsOf } from '../git/files/oversize.ts';
import { indexLine, readChanges, shown } from '../git/objects/raw-changes.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { moveRef, readRef, deleteRef } from '../git/refs/refs.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { knowTree, treeOf } from '../git/objects/trees.ts';
import { operationIn } from '../git/files/worktree-admin.ts';
import { patiently } from '../git/run/dead-lock.ts';
import { nameKept } from '../keep/list-keeps.ts';
import { withPrivateIndex } from '../git/files/private-index.ts';
import { strayNotes } from '../notes/lay-notes.ts';
import { gitDirOf, treeOfFiles, readInPlaceNote, writeInPlaceNote, noteOwn } from './in-place-note.ts';
import { saidOfIgnored } from './keep-ignored.ts';
import { findBesides } from './find-besides.ts';
import { takeCheckout } from './take-checkout.ts';
import { unpin } from '../keep/train-refs.ts';
import type { LoopId, Sha } from '../../core/model/ids.ts';
import type { NewLimits } from '../../core/model/settings.ts';
import type { Identity } from '../git/run/identity.ts';
import type { WorktreeFacts } from '../contract/outcomes.ts';
import type { Change } from '../git/objects/raw-changes.ts';
import type { InPlaceNote } from './in-place-note.ts';
import type { CheckoutPlace } from './take-checkout.ts';
import type { Checkout } from '../contract/world.ts';

interface InPlaceOrder {
  readonly path: string;
  readonly branch: string;
  readonly message: string;
  readonly loop: LoopId;
}

type InPlace = CheckoutPlace & { readonly identity: Identity; readonly maxNew: NewLimits };

const NAMES_SHOWN = 3;

/**
 * Commits what an agent changed in a person's checkout, without what was theirs before. No file is touched; the index only
 * where the branch that stands there takes the commit.
 */
export async function commitInPlace(place: InPlace, order: InPlaceOrder): Promise<WorktreeFacts> {
  const { repo, view } = place;
  const gitDir = gitDirOf(repo, order.path);
  const operation = operationIn(gitDir);
  const standing = readHeadFile(repo.commonDir, gitDir);
  const tip = await readRef(view, `refs/heads/${order.branch}`);
  const head = standing?.commit ?? tip;
  const note = readInPlaceNote(repo, order.loop);
  if (head === null || operation !== null || note === null) return asItIs(place, order, tip, operation ?? 'unborn');
  // What a person has on another branch must not land by way of the loop's.
  if (note.home !== null && standing?.branch !== note.home) return asItIs(place, order, tip, 'other-branch');
  const mine = new Set(note.mine);
  const before = await treeOf(view, head);
  const files = await treeOfFiles(repo, order.path);
  const now = readHeadFile(repo.commonDir, gitDir);
  // Read over a commit, a switch or a publish, the files are no work upon where they stood before.
  if (now?.commit !== standing?.commit || now?.branch !== standing?.branch) return commitInPlace(place, order);
  const touched = await touchedOf(view, note, files);
  if (touched.size > 0) await keepYours(place, order.loop, note);
  const all = await readChanges(view, before, files);
  const apart = all.filter((change) => touched.has(change.path));
  const theirs = all.filter((change) => !mine.has(change.path));
  const { changes, tree, omitted } = await workOf(place, note, { before, changes: theirs, path: order.path });
  const isOwn = standing?.branch === order.branch;
  const commit = await commitOf(place, order, { tree, parents: [...(isOwn ? [] : [tip]), ...note.taken, head] });
  reach('place.committed');
  const from = isOwn ? head : tip;
  if (commit !== from) {
    if (commit !== head) noteOwn(repo, order.loop, [commit]);
    const move = await moveRef(view, `refs/heads/${order.branch}`, commit, from, 'paralph: leftovers');
    if (!move.moved) return asItIs(place, order, move.now, 'other-branch');
    if (isOwn) await stageAsCommitted(order.path, changes);
  }
  reach('place.moved');
  const committed = commit !== from;
  const facts = { head: commit, tree, branch: order.branch, committed, odd: null, kept: null };
  const ignored = saidOfIgnored(repo, order.loop);
  return {
    ...facts,
    ...(apart.length === 0 ? {} : { yours: namesOf(apart) }),
    ...(omitted === null ? {} : { omitted }),
    ...(ignored === null ? {} : { ignored }),
  };
}

interface Work {
  readonly tree: Sha;
  readonly changes: readonly Change[];
  readonly omitted: string | null;
}

/**
 * What the agent noted for itself stays in the files, and is no part of the work; nor is what it committed of that. Of new files
 * also what is too much to land, or made by tools.
 */
async function workOf(
  place: InPlace,
  { start }: InPlaceNote,
  { before, changes, path }: { readonly before: Sha; readonly changes: readonly Change[]; readonly path: string },
): Promise<Work> {
  const { view } = place;
  const tree = await withChanges(place, before, changes);
  const stray = await strayNotes(view, tree, start);
  const found = tree === before ? [] : await findOversize(view, { base: start, before, tree, path }, place.maxNew);
  const out = [...new Set([...stray, ...pathsOf(found)])];
  const omitted = found.length === 0 ? null : describeOmitted(found, place.maxNew);
  if (out.length === 0) return { tree, changes, omitted };
  const gone = { mode: '100644', id: tree };
  const clean = await withChanges(
    place,
    tree,
    out.map((name) => ({ path: name, before: gone, after: null })),
  );
  return { tree: clean, changes: await readChanges(view, before, clean), omitted };
}

/** Paths that were a person's before, and are not as they were then. */
async function touchedOf(view: CheckoutPlace['view'], note: InPlaceNote, files: Sha): Promise<ReadonlySet<string>> {
  const mine = new Set(note.mine);
  const changes = mine.size === 0 ? [] : await readChanges(view, note.files, files);
  return new Set(changes.map(({ path }) => path).filter((path) => mine.has(path)));
}

function namesOf(changes: readonly Change[]): string {
  const names = changes.slice(0, NAMES_SHOWN).map(({ path }) => shown(path));
  const more = changes.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** An agent may also work on what a person had begun, or throw it away: how it was stays to be had. */
async function keepYours(place: InPlace, loop: LoopId, note: InPlaceNote): Promise<void> {
  const { repo, view, identity } = place;
  if (note.isKept) return;
  const message = `What was changed in the checkout when loop ${loop} began\n`;
  const order = { tree: note.files, parents: [note.start], message, identity: unsigned(identity) };
  const commit = await commitTree(view, order);
  await nameKept(view, { name: loop, commit, reason: 'paralph: kept', durable: true });
  writeInPlaceNote(repo, loop, { ...note, isKept: true });
}

/** The tree with some files as they are now. */
export async function withChanges(place: CheckoutPlace, tree: Sha, changes: readonly Change[]): Promise<Sha> {
  if (changes.length === 0) return tree;
  return withPrivateIndex(place, null, async (index) => {
    await index.git(['read-tree', tree]);
    await index.git(['update-index', '-z', '--index-info'], entriesOf(changes));
    return index.writeTree();
  });
}

/** A folder may stand where a file was: what goes makes room first. */
function entriesOf(changes: readonly Change[]): string {
  const gone = changes.filter(({ after }) => after === null);
  return [...gone, ...changes.filter(({ after }) => after !== null)].map(indexLine).join('');
}

/** One of the parents itself, where it holds all there is; else a new commit upon those that no other one contains. */
async function commitOf(
  { view, identity }: InPlace,
  { message }: InPlaceOrder,
  { tree, parents: wanted }: { readonly tree: Sha; readonly parents: readonly (Sha | null)[] },
): Promise<Sha> {
  const all = [...new Set(wanted.filter((parent) => parent !== null))];
  const parents: Sha[] = [];
  for (const one of all) {
    const others = all.filter((other) => other !== one);
    const within = await Promise.all(others.map((other) => isAncestor(view, one, other)));
    if (!within.includes(true)) parents.push(one);
  }
  const [only] = parents;
  if (parents.length === 1 && only !== undefined && (await treeOf(view, only)) === tree) return only;
  const commit = await commitTree(view, { tree, parents, message: `${message.trimEnd()}\n`, identity });
  knowTree(view, commit, tree);
  return commit;
}

/** The person's index knows what was just committed, or their next commit would take it back. */
async function stageAsCommitted(path: string, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const input = Buffer.from(entriesOf(changes), 'latin1');
  await patiently(() => runGit([...HARDENED, 'update-index', '-z', '--index-info'], { cwd: path, input }));
}

/** Somebody stopped half-way, or moved the branch: files and refs stay as they are, and a person must look. */
async function asItIs({ view }: InPlace, order: InPlaceOrder, tip: Sha | null, odd: string): Promise<WorktreeFacts> {
  const head = tip ?? (await readRef(view, `refs/heads/${order.branch}`));
  if (head === null) throw new Error(`the branch ${order.branch} is gone`);
  return { head, tree: await treeOf(view, head), branch: order.branch, committed: false, odd, kept: null };
}

export const openCheckout = (place: InPlace): Checkout => ({
  take: (order) => takeCheckout(place, order),
  commit: (order) => commitInPlace(place, order),
  leave: (options) => leaveCheckout(place, options),
  besides: (order) => findBesides(place, order),
});

const OURS = 'ralph/';

/** After the landing: the checkout stays as it is, and so does a branch of the person's. */
async function leaveCheckout(
  { view }: CheckoutPlace,
  { branch, head, landed, loop }: { branch: string; head: Sha; landed: Sha; loop: LoopId },
): Promise<void> {
  await unpin(view, { loop, head, landed });
  reach('place.left');
  if (branch.startsWith(OURS)) await deleteRef(view, `refs/heads/${branch}`, head);
}
