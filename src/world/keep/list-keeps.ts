import type { Sha } from '../../core/model/ids.ts';
import { sha } from '../../core/model/ids.ts';
import { commitsThere } from '../git/objects/history.ts';
import { treeOf } from '../git/objects/trees.ts';
import { refValuesBelow } from '../git/refs/update-refs.ts';
import type { GitView } from '../git/run/view.ts';
import type { KeepNote } from './keep-message.ts';
import { readKeepMessage } from './keep-message.ts';
import { invariant } from '../../core/model/assert.ts';
import { reach } from '../os/failpoint.ts';
import { landRef, moveRef, readRef } from '../git/refs/refs.ts';

/** Something that was about to go, and can be had back. */
export interface Keep extends KeepNote {
  readonly id: string;
  /** Whose it is: most often a loop. */
  readonly name: string;
  readonly digits: string;
  readonly ref: string;
  readonly commit: Sha;
  readonly tree: Sha;
  /** `ralph undo` took it back. */
  readonly isUndone: boolean;
}

const FIELDS = ['refname', 'objectname', 'objecttype', 'tree', 'committerdate:unix', 'contents'];
/** What any system takes as arguments. */
const NAMES_AT_ONCE = 500;
const FORMAT = `${FIELDS.map((field) => `%(${field})`).join('%00')}%00%01`;

/** Every keep, the newest first. Commits that are kept by themselves, because a loop was ready with them, are among them. */
export async function listKeeps(view: GitView): Promise<readonly Keep[]> {
  const stdout = await readRecords(view);
  const undone = await view.run(['for-each-ref', '--format=%(refname)', UNDONE]);
  const taken = new Set(undone.stdout.split('\n').map((ref) => ref.slice(UNDONE.length + 1)));
  const keeps = stdout.split('\0\u0001\n').flatMap((record) => readRecord(record, taken));
  return keeps.sort((a, b) => b.atMs - a.atMs || (a.id < b.id ? -1 : 1));
}

/** One whose commit vanished would keep git from telling of all the others; where there is one, it is left out. */
async function readRecords(view: GitView): Promise<string> {
  const all = await view.run(['for-each-ref', `--format=${FORMAT}`, KEPT], { ok: [0, 128] });
  if (all.code === 0) return all.stdout;
  const refs = [...refValuesBelow(view, KEPT)];
  const there = await commitsThere(
    view,
    refs.map(([, commit]) => commit),
  );
  const names = refs.flatMap(([ref, commit]) => (there.has(commit) ? ref : []));
  let records = '';
  for (let at = 0; at < names.length; at += NAMES_AT_ONCE) {
    const some = names.slice(at, at + NAMES_AT_ONCE);
    records += (await view.run(['for-each-ref', `--format=${FORMAT}`, ...some])).stdout;
  }
  return records;
}

function readRecord(record: string, undone: ReadonlySet<string>): readonly Keep[] {
  const [ref = '', commit = '', type = '', tree = '', seconds = '', message = ''] = record.split('\0');
  const parts = partsOfKeepRef(ref);
  if (parts === null || type !== 'commit') return [];
  const id = keepId(ref);
  const note = readKeepMessage(message) ?? pinned(sha(commit), Number(seconds) * 1000);
  return [{ ...note, ...parts, id, ref, commit: sha(commit), tree: sha(tree), isUndone: undone.has(id) }];
}

const pinned = (commit: Sha, atMs: number): KeepNote => ({
  act: 'pin',
  why: 'it was ready to land, or could not be put on its branch',
  loop: null,
  task: null,
  branch: null,
  tip: commit,
  path: null,
  atMs,
  head: commit,
  on: null,
  index: null,
  operation: null,
  files: 0,
  together: null,
});

/** The keep that an earlier try made of the same for the same reason. */
export async function findSameKeep(view: GitView, note: KeepNote, tree: Sha): Promise<Keep | null> {
  const fields = ['act', 'loop', 'branch', 'tip', 'path', 'head', 'on'] as const;
  for (const keep of await listKeeps(view)) {
    if (keep.isUndone || keep.tree !== tree || fields.some((field) => keep[field] !== note[field])) continue;
    // Their commits tell when they were made; what they hold is the same or not.
    if (!(await isSameTree(view, keep.index, note.index))) continue;
    if (await isSameTree(view, keep.operation, note.operation)) return keep;
  }
  return null;
}

/** The keep of an act that was cut short after the folder went: all that is left to keep is in it already. */
export async function findCutShort(
  view: GitView,
  order: Pick<KeepNote, 'act' | 'loop' | 'branch' | 'tip'> & { readonly path: string | null },
): Promise<Keep | null> {
  const fields = ['act', 'loop', 'branch', 'tip'] as const;
  const isIt = (keep: Keep): boolean =>
    !keep.isUndone &&
    keep.path !== null &&
    (order.path === null || keep.path === order.path) &&
    fields.every((field) => keep[field] === order[field]);
  return (await listKeeps(view)).find(isIt) ?? null;
}

async function isSameTree(view: GitView, one: Sha | null, other: Sha | null): Promise<boolean> {
  if (one === null || other === null) return one === other;
  return (await treeOf(view, one)) === (await treeOf(view, other));
}

/** Below it stands what nothing may collect, by the name of whose it is and the first digits of the commit. */
export const KEPT = 'refs/paralph/keep';
/** The same names once more, for what `ralph undo` has taken back already. */
export const UNDONE = 'refs/paralph/undone';

const DIGITS = 12;
const NAME_CHARS_MAX = 100;

/** The ref that keeps a commit under a name. The same commit always gets the same one. */
async function keepRef(view: GitView, name: string, commit: Sha): Promise<string> {
  const folder = `${KEPT}/${keepName(name)}`;
  const short = commit.slice(0, DIGITS);
  // A ref that is named like the folder leaves no room for the folder.
  return (await readRef(view, folder)) === null ? `${folder}/${short}` : `${folder}-${short}`;
}

/** Names a commit so that nothing ever collects it. `durable`: it must outlive a power cut, because something else is about to go. */
export async function nameKept(
  view: GitView,
  { name, commit, reason, durable }: { name: string; commit: Sha; reason: string; durable: boolean },
): Promise<string> {
  const ref = await keepRef(view, name, commit);
  if ((await readRef(view, ref)) === commit) return ref;
  const move = await (durable ? landRef : moveRef)(view, ref, commit, null, reason);
  invariant(move.moved || move.now === commit, `${ref} is named after another commit`);
  reach('keep.pinned');
  return ref;
}

/** What people type: the ref without what all of them have in front. */
export const keepId = (ref: string): string => ref.slice(KEPT.length + 1);

/** Whose it is and the digits, from a keep's ref. Null: somebody else's ref. */
function partsOfKeepRef(ref: string): { readonly name: string; readonly digits: string } | null {
  const [, name, digits] = /^(.+)[/-]([0-9a-f]{12})$/.exec(keepId(ref)) ?? [];
  return name === undefined || digits === undefined ? null : { name, digits };
}

/** A name git takes as a part of a ref, whatever the text was. */
function keepName(text: string): string {
  const plain = text
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/\.{2,}|\.lock$/g, '-')
    .slice(0, NAME_CHARS_MAX)
    .replaceAll(/^[.-]+|[.-]+$/g, '');
  return plain === '' ? 'work' : plain;
}
