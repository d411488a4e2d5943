import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isText, readBlobs } from '../objects/blobs.ts';
import { mergeTracker, recounted } from '../../../text/trackers/merge-tracker.ts';
import { TRACKER_NAMES, trackerKindOf } from '../../../text/trackers/tracker-names.ts';
import { textOf } from '../../os/splice-file.ts';
import { writeBlob } from '../objects/trees.ts';
import type { GitView } from '../run/view.ts';
import type { TrackerVersions } from '../../../text/trackers/merge-tracker.ts';
import type { Sha } from '../../../core/model/ids.ts';
import type { TextConflict } from './merge-stages.ts';

interface Texts<Text = Buffer> {
  readonly base: Text;
  readonly ours: Text;
  readonly theirs: Text;
}

const CONFLICTS_MAX = 127;
const ANY_CONFLICTS = Array.from({ length: CONFLICTS_MAX + 1 }, (_, count) => count);

/** Three versions of a file merged line by line; `union` keeps both sides' lines where they meet. Null: not text, or they conflict. */
async function mergeText(view: GitView, { base, ours, theirs }: Texts, how: 'plain' | 'union'): Promise<Buffer | null> {
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

/** A file that holds tasks: the host's own, or one that is called as they are. */
export const isTracker = (own: string, path: string): boolean => path === own || TRACKER_NAMES.includes(path);

/** Box by box, and line by line where both sides changed more than boxes. Null: somebody has to choose. */
export async function mergeTrackers(view: GitView, path: string, versions: TrackerVersions): Promise<string | null> {
  const kind = trackerKindOf(path) ?? 'markdown';
  const merged = mergeTracker(kind, versions);
  switch (merged.how) {
    case 'merged':
      return merged.text;
    case 'unsafe':
      return null;
    case 'edited': {
      const { base, ours, theirs } = merged.levelled;
      const bytes = { base: Buffer.from(base), ours: Buffer.from(ours), theirs: Buffer.from(theirs) };
      const lines = await mergeText(view, bytes, 'plain');
      return lines === null ? null : recounted(kind, lines.toString(), versions);
    }
  }
}

/** The same for contents of files. What is not UTF-8 could not be written back. */
export async function mergeTrackerFiles(view: GitView, path: string, texts: Texts): Promise<string | null> {
  const [base, ours, theirs] = [textOf(texts.base), textOf(texts.ours), textOf(texts.theirs)];
  if (base === null || ours === null || theirs === null) return null;
  return mergeTrackers(view, path, { base, ours, theirs });
}

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
