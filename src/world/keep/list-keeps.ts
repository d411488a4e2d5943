import { type Sha, sha } from '../../core/model/ids.ts';
import { commitsThere } from '../git/objects/not-within.ts';
import { treeOf } from '../git/objects/tree-edit.ts';
import { refValuesBelow } from '../git/refs/update-refs.ts';
import type { GitView } from '../git/run/view.ts';
import { type KeepNote, readKeepMessage } from './keep-message.ts';
import { KEPT, UNDONE, keepId, partsOfKeepRef } from './keep-refs.ts';

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
