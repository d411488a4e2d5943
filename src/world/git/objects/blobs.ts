import { invariant } from '../../../core/model/assert.ts';
import { sha } from '../../../core/model/ids.ts';
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
