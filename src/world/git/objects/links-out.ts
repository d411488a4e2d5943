import { sha } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { leadsOut } from '../../../text/leads-out.ts';
import { readBlobs } from './blobs.ts';
import type { GitView } from '../run/view.ts';

/** No file system takes a longer one. */
const TARGET_BYTES_MAX = 4096;

/** `path -> target` of every symbolic link that is new or changed between two commits and leads out of the checkout. */
export async function linksOut(view: GitView, from: Sha, to: Sha): Promise<readonly string[]> {
  const diff = await view.run(['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', from, to]);
  const fields = diff.stdout.split('\0');
  const links: { readonly path: string; readonly id: Sha }[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const id = /^:\d{6} 120000 \S+ ([0-9a-f]+) /.exec(fields[at] ?? '')?.[1];
    if (id !== undefined) links.push({ path: fields[at + 1] ?? '', id: sha(id) });
  }
  if (links.length === 0) return [];
  const targets = await readBlobs(
    view,
    links.map((link) => link.id),
    TARGET_BYTES_MAX,
  );
  return links.flatMap(({ path, id }) => {
    const target = targets.get(id)?.toString('utf8') ?? null;
    if (target !== null && !leadsOut(path, target)) return [];
    return [`${path} -> ${target ?? 'a place too long to tell'}`];
  });
}
