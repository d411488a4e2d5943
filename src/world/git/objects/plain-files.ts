import { sha } from '../../../core/model/ids.ts';
import type { Sha } from '../../../core/model/ids.ts';
import type { GitView } from '../run/view.ts';

/** As many as fit on a command line, however long they are. */
const PATHS_AT_ONCE = 100;

/** Those of the paths that are plain files in a commit. */
export async function plainFiles(
  view: GitView,
  commit: Sha,
  paths: readonly string[],
): Promise<ReadonlyMap<string, { readonly mode: string; readonly blob: Sha }>> {
  const found = new Map<string, { readonly mode: string; readonly blob: Sha }>();
  for (let at = 0; at < paths.length; at += PATHS_AT_ONCE) {
    const listed = await view.run([
      '--literal-pathspecs',
      'ls-tree',
      '-z',
      commit,
      '--',
      ...paths.slice(at, at + PATHS_AT_ONCE),
    ]);
    for (const record of listed.stdout.split('\0')) {
      const [, mode, blob, path] = /^(100\d+) blob ([0-9a-f]+)\t(.*)$/s.exec(record) ?? [];
      if (mode !== undefined && blob !== undefined && path !== undefined) found.set(path, { mode, blob: sha(blob) });
    }
  }
  return found;
}
