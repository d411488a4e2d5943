import { sha } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { readBlobs } from './blobs.ts';
import type { GitView } from '../run/view.ts';

/** Nothing a person would read is near this; what is larger counts as a file all the same. */
const BYTES_MAX = 1024 * 1024;

/** The text of each of these files (or links) of a commit; null: there is none, or a folder of that name. */
export async function readTexts(
  view: GitView,
  commit: Sha,
  paths: readonly string[],
): Promise<readonly (string | null)[]> {
  if (paths.length === 0) return [];
  const listed = await view.run(['--literal-pathspecs', 'ls-tree', '-z', commit, '--', ...paths]);
  const ids = new Map<string, Sha>();
  for (const [, id = '', path = ''] of listed.stdout.matchAll(/\d{6} blob ([0-9a-f]+)\t([^\0]*)\0/g))
    ids.set(path, sha(id));
  const texts = await readBlobs(view, [...new Set(ids.values())], BYTES_MAX);
  return paths.map((path) => {
    const id = ids.get(path);
    return id === undefined ? null : (texts.get(id)?.toString('utf8') ?? '');
  });
}
