import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sha } from '../../core/ids.ts';
import { isText, readBlobs } from './blobs.ts';
import type { TextConflict } from './merge-stages.ts';
import { writeBlob } from './tree-edit.ts';
import type { GitView } from './view.ts';

const BYTES_MAX = 8 * 1024 * 1024;

/** The file with the lines of both sides, ours first. Null: it is not text, or too large to be a list people add lines to. */
export async function unionMerge(view: GitView, { base, ours, theirs }: TextConflict): Promise<Sha | null> {
  const contents = await readBlobs(view, base === null ? [ours, theirs] : [base, ours, theirs], BYTES_MAX);
  const sides = [ours, base, theirs].map((id) => (id === null ? Buffer.alloc(0) : contents.get(id)));
  // git merges files only; in memory it would need the attributes of everybody's trees.
  const folder = mkdtempSync(join(tmpdir(), 'paralph-union-'));
  try {
    const files: string[] = [];
    for (const [at, content] of sides.entries()) {
      if (content === undefined || !isText(content)) return null;
      const file = join(folder, String(at));
      writeFileSync(file, content);
      files.push(file);
    }
    // Under the diff3 style of the view, lines that both sides added alike would stand there twice.
    const args = ['-c', 'merge.conflictStyle=merge', 'merge-file', '--union', '-p', ...files];
    return await writeBlob(view, (await view.bytes(args)).stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
