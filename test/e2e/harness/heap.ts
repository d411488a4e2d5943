import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { until } from './until.ts';

interface Snapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: string[]; readonly node_types: [string[]] } };
  readonly nodes: number[];
  readonly strings: string[];
}

/** What a Node process must be started with so that it can be asked for its heap. */
export const heapOptions = (folder: string): string =>
  `--trace-warnings --heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}`;

/** How many objects of each class a process holds on to, garbage left out. */
export async function heapCounts(pid: number, folder: string): Promise<ReadonlyMap<string, number>> {
  const before = new Set(readdirSync(folder));
  process.kill(pid, 'SIGUSR2');
  let size = -1;
  const snapshot = await until('a snapshot of the heap', () => {
    const name = readdirSync(folder).find((one) => !before.has(one));
    if (name === undefined) return null;
    const grown = statSync(join(folder, name)).size;
    if (grown === 0 || grown !== size) {
      size = grown;
      return null;
    }
    return parsed(readFileSync(join(folder, name), 'utf8'));
  });
  return countByClass(snapshot);
}

/** Null while it is still being written. */
function parsed(text: string): Snapshot | null {
  try {
    return JSON.parse(text) as Snapshot;
  } catch {
    return null;
  }
}

function countByClass({ snapshot, nodes, strings }: Snapshot): ReadonlyMap<string, number> {
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, name] = [fields.indexOf('type'), fields.indexOf('name')];
  const object = types[0].indexOf('object');
  const counts = new Map<string, number>();
  for (let at = 0; at < nodes.length; at += fields.length) {
    if (nodes[at + type] !== object) continue;
    const kind = strings[nodes[at + name] ?? 0] ?? '';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}
