import { invariant } from '../../../core/model/assert.ts';
import { sha } from '../../../core/model/ids.ts';
import { leadsOut } from '../../../text/leads-out.ts';
import type { Sha } from '../../../core/model/ids.ts';
import type { GitView } from '../run/view.ts';

/** Well below what a single git may print. */
const BYTES_AT_ONCE = 16 * 1024 * 1024;

/** The contents of several files. Left out: what is larger than `bytesMax`, what is not there, what is no file's content. */
export async function readBlobs(
  view: GitView,
  ids: readonly Sha[],
  bytesMax: number,
): Promise<ReadonlyMap<Sha, Buffer>> {
  invariant(bytesMax <= BYTES_AT_ONCE, 'each file fits by itself');
  const found = new Map<Sha, Buffer>();
  if (ids.length === 0) return found;
  const listed = await view.run(['cat-file', '--batch-check'], { input: linesOf(ids) });
  let [group, bytes]: [Sha[], number] = [[], 0];
  for (const [, id = '', size] of listed.stdout.matchAll(/^([0-9a-f]+) blob (\d+)$/gm)) {
    if (Number(size) > bytesMax) continue;
    if (bytes + Number(size) > BYTES_AT_ONCE) {
      await readGroup(view, group, found);
      [group, bytes] = [[], 0];
    }
    group.push(sha(id));
    bytes += Number(size);
  }
  await readGroup(view, group, found);
  return found;
}

async function readGroup(view: GitView, ids: readonly Sha[], found: Map<Sha, Buffer>): Promise<void> {
  if (ids.length === 0) return;
  const { stdout } = await view.bytes(['cat-file', '--batch'], { input: linesOf(ids) });
  let at = 0;
  for (const id of ids) {
    const end = stdout.indexOf('\n', at);
    const size = Number(stdout.subarray(at, end).toString('latin1').split(' ')[2]);
    invariant(end >= 0 && Number.isSafeInteger(size), 'cat-file tells the size before the content');
    found.set(id, stdout.subarray(end + 1, end + 1 + size));
    at = end + 1 + size + 1;
  }
}

const linesOf = (ids: readonly Sha[]): string => ids.map((id) => `${id}\n`).join('');

/** As git itself tells text from other files, only that we look at all of it. */
export function isText(content: Buffer): boolean {
  return !content.includes(0);
}

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
