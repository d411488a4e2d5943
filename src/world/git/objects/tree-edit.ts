import { invariant } from '../../../core/model/assert.ts';
import { AppError } from '../../../core/model/errors.ts';
import { sha } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { textOf } from '../../os/text-of.ts';
import { readLooseObject, writeObject } from './loose-objects.ts';
import { remember } from './remember.ts';
import type { Memory } from './remember.ts';
import { readTree, writeTree } from './tree-entries.ts';
import type { Entry } from './tree-entries.ts';
import type { GitView } from '../run/view.ts';

const trees = remember(async (view, commit) => {
  const answer = await view.run(['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`]);
  return sha(answer.stdout.trim());
});

export function treeOf(view: GitView, commit: Sha): Promise<Sha> {
  return trees.ask(view, commit);
}

/** Whoever made a commit knows its tree. */
export function knowTree(view: GitView, commit: Sha, tree: Sha): void {
  trees.know(view, commit, tree);
}

/** Writes a file's content as an object; no tree names it yet. */
export function writeBlob(view: GitView, content: string | Buffer): Promise<Sha> {
  return writeObject(view, 'blob', Buffer.from(content));
}

/** A tree equal to `tree` but for one file. Its mode stays; a file that is not there yet is added as a plain one. */
export function replaceFile(view: GitView, tree: Sha, path: string, blob: Sha): Promise<Sha> {
  return replaceFiles(view, tree, new Map([[path, blob]]));
}

/** The same for several files, by path; null takes one out. */
export async function replaceFiles(view: GitView, tree: Sha, blobs: ReadonlyMap<string, Sha | null>): Promise<Sha> {
  if (blobs.size === 0) return tree;
  const edits = [...blobs].map(([path, blob]) => ({ path, names: partsOf(path), blob }));
  return replaceIn(view, tree, edits);
}

/**
 * A plain file's text, or null when there is none at that path or its bytes are not UTF-8 and could not be written back. What lies
 * beside the repository is in none of its trees.
 */
export async function readFileAt(view: GitView, commitOrTree: Sha, path: string): Promise<string | null> {
  const entry = await entries.ask(view, `${commitOrTree}:${path}`);
  return entry !== null && isPlain(entry) ? readBlob(view, entry.id) : null;
}

/** By `<commit or tree>:<path>`; folders that many trees share are read once. */
const entries: Memory<Entry | null> = remember(async (view, key) => {
  const [at = '', ...rest] = key.split(':');
  const path = rest.join(':');
  if (path.startsWith('../') || path.startsWith('/')) return null;
  const [name] = partsOf(path);
  const below = path.split('/').slice(1);
  const entry = (await readTree(view, at)).find((each) => each.name === name);
  if (entry === undefined || below.length === 0) return entry ?? null;
  return entry.type === 'tree' ? entries.ask(view, `${entry.id}:${below.join('/')}`) : null;
});

/** What a path names in a commit or tree, as an id; empty: nothing. */
export async function idAt(view: GitView, commitOrTree: Sha, path: string): Promise<string> {
  return (await entries.ask(view, `${commitOrTree}:${path}`))?.id ?? '';
}

/** Paths that differ between two commits or trees; a renamed file counts as both its names. */
export async function changedPaths(view: GitView, from: Sha, to: Sha): Promise<string[]> {
  const diff = await view.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to]);
  return diff.stdout.split('\0').filter((path) => path !== '');
}

/** `names`: what is left of the path below the tree that is edited. */
interface Edit {
  readonly path: string;
  readonly names: readonly string[];
  readonly blob: Sha | null;
}

async function replaceIn(view: GitView, tree: string | null, edits: readonly Edit[]): Promise<Sha> {
  const entries = new Map((tree === null ? [] : await readTree(view, tree)).map((entry) => [entry.name, entry]));
  for (const name of new Set(edits.map((edit) => edit.names[0] ?? ''))) {
    const here = edits.filter((edit) => edit.names[0] === name);
    const entry = await replaceEntry(view, entries.get(name) ?? null, name, here);
    if (entry === null) entries.delete(name);
    else entries.set(name, entry);
  }
  return writeTree(view, [...entries.values()]);
}

async function replaceEntry(
  view: GitView,
  old: Entry | null,
  name: string,
  edits: readonly Edit[],
): Promise<Entry | null> {
  const [edit] = edits;
  invariant(edit !== undefined && name !== '', 'a path has a last part');
  const isFile = edit.names.length === 1;
  if (old !== null && (isFile ? !isPlain(old) : old.type !== 'tree')) {
    throw new AppError('E_TASKS_UNSAFE', `${edit.path} is not a plain file in the commit it should be edited in.`);
  }
  if (isFile) return edit.blob === null ? null : { mode: old?.mode ?? '100644', type: 'blob', id: edit.blob, name };
  const below = edits.map((each) => ({ ...each, names: each.names.slice(1) }));
  const id = await replaceIn(view, old?.id ?? null, below);
  // git has no empty folders.
  return (await readTree(view, id)).length === 0 ? null : { mode: '040000', type: 'tree', id, name };
}

async function readBlob(view: GitView, id: string): Promise<string | null> {
  const found = readLooseObject(view, id);
  const bytes = found?.type === 'blob' ? found.content : (await view.bytes(['cat-file', 'blob', id])).stdout;
  return textOf(bytes);
}

function isPlain(entry: Entry): boolean {
  return entry.type === 'blob' && entry.mode.startsWith('100');
}

function partsOf(path: string): string[] {
  const parts = path.split('/');
  invariant(
    parts.every((part) => part !== '' && part !== '.' && part !== '..'),
    `not a path inside the repository: ${path}`,
  );
  return parts.map((part) => Buffer.from(part, 'utf8').toString('latin1'));
}
