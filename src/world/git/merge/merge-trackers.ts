import { mergeTracker, recounted } from '../../../text/trackers/merge-tracker.ts';
import type { TrackerVersions } from '../../../text/trackers/merge-tracker.ts';
import { TRACKER_NAMES, trackerKindOf } from '../../../text/trackers/tracker-names.ts';
import { mergeText } from './merge-text.ts';
import type { Texts } from './merge-text.ts';
import type { GitView } from '../run/view.ts';
import { textOf } from '../../os/text-of.ts';

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
