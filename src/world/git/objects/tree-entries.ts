import { invariant } from '../../../core/model/assert.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { readLooseObject, writeObject } from './loose-objects.ts';
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
