import { matchProtected } from '../../../text/protected-paths.ts';
import { replaceFiles, writeBlob } from '../objects/trees.ts';
import { readConflict, unionMerge, isTracker, mergeTrackerFiles } from './merge-text.ts';
import type { Sha } from '../../../core/model/ids.ts';
import type { MergeDriverSettings } from '../../../core/model/settings.ts';
import type { TextConflict } from './merge-stages.ts';
import type { Merged } from './merge.ts';
import type { GitView } from '../run/view.ts';
import type { Resolutions } from './resolutions.ts';

/** What becomes of the files that do not merge by themselves. */
export interface Settled {
  /** New contents, by path. */
  readonly blobs: ReadonlyMap<string, Sha>;
  /** Commands that have yet to run, by the path they make anew; until then the file is as the base has it. */
  readonly commands: ReadonlyMap<string, string>;
  /** Only somebody who understands both sides can merge these. */
  readonly left: readonly string[];
}

export interface SettlingPlace {
  readonly view: GitView;
  readonly merge: MergeDriverSettings;
  readonly resolutions: Resolutions;
  /** The task file's path, beside the names that such files have. */
  readonly trackerPath: string;
}

const TRACKER_BYTES_MAX = 1024 * 1024;

/** Task files are ours to merge; then the rules of the user's for some files, then what was resolved before. Only ever files whose text alone is in dispute. */
export async function settleConflicts(
  { view, merge, resolutions, trackerPath }: SettlingPlace,
  paths: readonly string[],
  textual: readonly TextConflict[],
): Promise<Settled> {
  const blobs = new Map<string, Sha>();
  const commands = new Map<string, string>();
  for (const conflict of textual) {
    const { path } = conflict;
    if (!paths.includes(path)) continue;
    const tasks = isTracker(trackerPath, path) ? await mergeTasks(view, conflict) : null;
    if (tasks !== null) {
      blobs.set(path, tasks);
      continue;
    }
    if (isUnion(path, merge.union)) {
      const blob = await unionMerge(view, conflict);
      if (blob !== null) blobs.set(path, blob);
      continue;
    }
    const command = Object.hasOwn(merge.regenerate, path) ? merge.regenerate[path] : undefined;
    if (command !== undefined) {
      blobs.set(path, conflict.ours);
      commands.set(path, command);
      continue;
    }
    const content = resolutions.find(conflict);
    if (content !== null) blobs.set(path, await writeBlob(view, content));
  }
  return { blobs, commands, left: paths.filter((path) => !blobs.has(path)) };
}

/**
 * A merge with what needs nobody: task files, and lists that everybody adds to. Only rules that always answer the same: a merge cut
 * short must come out the same again.
 */
export async function settleByRule(
  view: GitView,
  merged: Merged,
  { union = [], trackerPath = '' }: { readonly union?: readonly string[]; readonly trackerPath?: string } = {},
): Promise<Merged> {
  if (merged.clean || merged.paths.length === 0) return merged;
  const resolutions: Resolutions = { find: () => null, keep: () => undefined };
  const place: SettlingPlace = { view, merge: { union, regenerate: {} }, resolutions, trackerPath };
  const { blobs, left } = await settleConflicts(place, merged.paths, merged.textual);
  const tree = await replaceFiles(view, merged.tree, blobs);
  return left.length === 0 ? { clean: true, tree } : { ...merged, tree, paths: left };
}

async function mergeTasks(view: GitView, conflict: TextConflict): Promise<Sha | null> {
  const texts = await readConflict(view, conflict, TRACKER_BYTES_MAX);
  const merged = texts === null ? null : await mergeTrackerFiles(view, conflict.path, texts);
  return merged === null ? null : writeBlob(view, merged);
}

/** What protects a path also protects the folders that lead to it; a file in such a place is not the one meant here. */
function isUnion(path: string, patterns: readonly string[]): boolean {
  const meant = patterns.filter((pattern) => !pattern.startsWith(`${path}/`));
  return matchProtected([path], meant).length > 0;
}

/** The paths that a rule of ours merges, whatever both sides did: nobody has to be warned about them. */
export function settledBy(tracker: string, merge: MergeDriverSettings): (path: string) => boolean {
  return (path) => path === tracker || isUnion(path, merge.union) || Object.hasOwn(merge.regenerate, path);
}
