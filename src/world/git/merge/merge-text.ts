import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isText } from '../objects/blobs.ts';
import type { GitView } from '../run/view.ts';

export interface Texts<Text = Buffer> {
  readonly base: Text;
  readonly ours: Text;
  readonly theirs: Text;
}

const CONFLICTS_MAX = 127;
const ANY_CONFLICTS = Array.from({ length: CONFLICTS_MAX + 1 }, (_, count) => count);

/** Three versions of a file merged line by line; `union` keeps both sides' lines where they meet. Null: not text, or they conflict. */
export async function mergeText(
  view: GitView,
  { base, ours, theirs }: Texts,
  how: 'plain' | 'union',
): Promise<Buffer | null> {
  if (![base, ours, theirs].every(isText)) return null;
  // git merges files only; in memory it would need the attributes of everybody's trees.
  const folder = mkdtempSync(join(tmpdir(), 'paralph-merge-'));
  try {
    const files = [ours, base, theirs].map((content, at) => {
      const file = join(folder, String(at));
      writeFileSync(file, content);
      return file;
    });
    const flags = how === 'union' ? ['--union'] : [];
    // Under the diff3 style of the view, lines that both sides added alike would stand there twice.
    const args = ['-c', 'merge.conflictStyle=merge', 'merge-file', ...flags, '-p', ...files];
    const { code, stdout } = await view.bytes(args, { ok: ANY_CONFLICTS });
    return code === 0 ? stdout : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
