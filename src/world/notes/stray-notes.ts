import type { Sha } from '../../core/model/ids.ts';
import { NOTE_FOLDERS } from '../../text/notes.ts';
import { readTree } from '../git/objects/trees.ts';
import type { GitView } from '../git/run/view.ts';

/** Notes of an agent that a tree holds and the one that its loop began from did not; names are bytes as latin1 characters. */
export async function strayNotes(view: GitView, tree: Sha, base: Sha): Promise<readonly string[]> {
  const here = await foldersOf(view, tree);
  if (here.size === 0) return [];
  const before = await foldersOf(view, base);
  const changed = [...here].filter(([name, id]) => before.get(name) !== id).map(([name]) => name);
  if (changed.length === 0) return [];
  const known = new Set(await namesIn(view, base, changed));
  return (await namesIn(view, tree, changed)).filter((name) => !known.has(name));
}

async function foldersOf(view: GitView, tree: Sha): Promise<ReadonlyMap<string, string>> {
  const names: ReadonlySet<string> = new Set(NOTE_FOLDERS);
  const entries = await readTree(view, tree);
  return new Map(entries.filter(({ name }) => names.has(name)).map(({ name, id }) => [name, id]));
}

async function namesIn(view: GitView, tree: Sha, folders: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await view.bytes(['ls-tree', '-r', '-z', '--name-only', tree, '--', ...folders]);
  return stdout
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '');
}
