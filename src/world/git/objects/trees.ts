import { invariant } from '../../../core/model/assert.ts';
import { AppError } from '../../../core/model/errors.ts';
import { sha } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { textOf } from '../../os/splice-file.ts';
import { readLooseObject, writeObject } from './loose-objects.ts';
import { remember } from './remember.ts';
import type { Memory } from './remember.ts';
import type { GitView } from '../run/view.ts';

/** Names are bytes, read as latin1: neighbours of the file we edit may be called anything. */
export interface Entry {
  readonly mode: string;
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

/** What a tree, or a commit's tree, holds. */
export async function readTree(view: GitView, treeOrCommit: string): Promise<readonly Entry[]> {
  const found = readLooseObject(view, treeOrCommit);
  if (found?.type === 'tree') return parseTree(view, found.content);
  const tree = found?.type === 'commit' ? /^tree ([0-9a-f]+)\n/.exec(found.content.toString('latin1'))?.[1] : undefined;
  const inside = tree === undefined ? null : readLooseObject(view, tree);
  return inside?.type === 'tree' ? parseTree(view, inside.content) : listTree(view, treeOrCommit);
}

/** Blobs of a partial clone may be elsewhere; they were named by the tree we read. */
export function writeTree(view: GitView, entries: readonly Entry[]): Promise<Sha> {
  const sorted = entries.toSorted((a, b) => (sortedAs(a) < sortedAs(b) ? -1 : 1));
  const parts = sorted.flatMap(({ mode, name, id }) => [
    Buffer.from(`${mode.replace(/^0+/, '')} ${name}\0`, 'latin1'),
    Buffer.from(id, 'hex'),
  ]);
  return writeObject(view, 'tree', Buffer.concat(parts));
}

/** Git sorts a folder as if its name ended with a slash. */
const sortedAs = ({ name, type }: Entry): string => (type === 'tree' ? `${name}/` : name);

function parseTree(view: GitView, content: Buffer): readonly Entry[] {
  const idBytes = view.objectFormat === 'sha1' ? 20 : 32;
  const entries: Entry[] = [];
  for (let at = 0; at < content.length;) {
    const end = content.indexOf(0, at);
    const [, mode, name] = /^(\d+) (.+)$/s.exec(content.subarray(at, end).toString('latin1')) ?? [];
    invariant(end > at && mode !== undefined && name !== undefined, 'a tree has one shape');
    const id = content.subarray(end + 1, end + 1 + idBytes).toString('hex');
    entries.push({ mode: mode.padStart(6, '0'), type: typeOf(mode), id, name });
    at = end + 1 + idBytes;
  }
  return entries;
}

const typeOf = (mode: string): string => (mode === '40000' ? 'tree' : mode === '160000' ? 'commit' : 'blob');

async function listTree(view: GitView, tree: string): Promise<readonly Entry[]> {
  const listed = await view.bytes(['ls-tree', '-z', tree]);
  const records = listed.stdout.toString('latin1').split('\0');
  return records
    .filter((record) => record !== '')
    .map((record) => {
      const [, mode, type, id, name] = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(record) ?? [];
      invariant(
        mode !== undefined && type !== undefined && id !== undefined && name !== undefined,
        'ls-tree has one shape',
      );
      return { mode, type, id, name };
    });
}

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

/** Lines added plus lines deleted, and the files that git takes for no text. */
export async function changedLines(
  view: GitView,
  from: Sha,
  to: Sha,
): Promise<{ readonly count: number; readonly uncounted: readonly string[] }> {
  const diff = await view.run(['diff-tree', '-r', '-z', '--numstat', '--no-renames', from, to]);
  const rows = diff.stdout.split('\0').flatMap((row) => {
    const [added, deleted, path] = row.split('\t');
    return path === undefined ? [] : [{ path, lines: Number(added) + Number(deleted) }];
  });
  return {
    count: rows.reduce((sum, { lines }) => sum + (Number.isNaN(lines) ? 0 : lines), 0),
    uncounted: rows.filter(({ lines }) => Number.isNaN(lines)).map(({ path }) => path),
  };
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
    throw new AppError('E_TASKS_UNSAFE', `${edit.path} is not a plain file in the commit it should be edited in`);
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
