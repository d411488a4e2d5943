import type { Sha } from '../../../core/model/ids.ts';
import { readBlobs } from '../objects/blobs.ts';
import type { TextConflict } from './merge-stages.ts';
import { mergeText } from './merge-text.ts';
import type { Texts } from './merge-text.ts';
import { writeBlob } from '../objects/tree-edit.ts';
import type { GitView } from '../run/view.ts';

const BYTES_MAX = 8 * 1024 * 1024;

/** The file with the lines of both sides, ours first. Null: it is not text, or too large to be a list people add lines to. */
export async function unionMerge(view: GitView, conflict: TextConflict): Promise<Sha | null> {
  const texts = await readConflict(view, conflict, BYTES_MAX);
  const merged = texts === null ? null : await mergeText(view, texts, 'union');
  return merged === null ? null : writeBlob(view, merged);
}

/** What is in dispute, with nothing for a base that is not there. Null: one of them is larger than that. */
export async function readConflict(
  view: GitView,
  { base, ours, theirs }: TextConflict,
  bytesMax: number,
): Promise<Texts | null> {
  const contents = await readBlobs(view, base === null ? [ours, theirs] : [base, ours, theirs], bytesMax);
  const before = base === null ? Buffer.alloc(0) : contents.get(base);
  const [left, right] = [contents.get(ours), contents.get(theirs)];
  if (before === undefined || left === undefined || right === undefined) return null;
  return { base: before, ours: left, theirs: right };
}
