import { AppError } from '../../core/model/errors.ts';
import type { Sha, TaskId } from '../../core/model/ids.ts';
import { branchEdits } from '../../text/trackers/branch-edits.ts';
import { mergeTracker } from '../../text/trackers/merge-tracker.ts';
import { trackerKindOf } from '../../text/trackers/tracker-names.ts';
import { idAt, readFileAt, replaceFile, writeBlob } from '../git/objects/trees.ts';
import type { GitView } from '../git/run/view.ts';
import { isTracker, mergeTrackers } from '../git/merge/merge-text.ts';

interface Branch {
  /** Where it began. */
  readonly fork: Sha;
  readonly head: Sha;
  readonly task: TaskId;
  /** The tracker that names the task. */
  readonly path: string;
}

/** The tracker of integration with what counts of a branch's own edits. Where they do not fit, integration's stays as it is. */
export async function withEdits(view: GitView, before: string, { fork, head, task, path }: Branch): Promise<string> {
  if ((await idAt(view, fork, path)) === (await idAt(view, head, path))) return before;
  const [base, branch] = [await readFileAt(view, fork, path), await readFileAt(view, head, path)];
  if (base === null || branch === null) return before;
  const { text } = branchEdits(kindOf(path), base, branch, task);
  if (text === base || before === base) return text === base ? before : text;
  return (await mergeTrackers(view, path, { base, ours: before, theirs: text })) ?? before;
}

/** Those of the paths in conflict that are trackers which `head` took out, and which have only been ticked since: there is nothing left to tick. */
export async function goneTrackers(
  view: GitView,
  paths: readonly string[],
  merge: { readonly own: string; readonly base: Sha; readonly head: Sha; readonly ancestors: readonly Sha[] },
): Promise<readonly string[]> {
  const [fork, second] = merge.ancestors;
  if (fork === undefined || second !== undefined) return [];
  const gone: string[] = [];
  for (const path of paths.filter((one) => isTracker(merge.own, one))) {
    if ((await idAt(view, merge.head, path)) !== '') continue;
    const [base, ours] = [await readFileAt(view, fork, path), await readFileAt(view, merge.base, path)];
    const merged = base === null || ours === null ? null : mergeTracker(kindOf(path), { base, ours, theirs: '' });
    if (merged?.how === 'merged') gone.push(path);
  }
  return gone;
}

/** A tree without what its branch did to the tracker that is no work, and that in words; null: there is no such thing. */
export async function withoutTicks(
  view: GitView,
  tree: Sha,
  { fork, head, task, path }: Branch,
): Promise<{ readonly tree: Sha; readonly dropped: string } | null> {
  if ((await idAt(view, fork, path)) === (await idAt(view, head, path))) return null;
  const [base, branch] = [await readFileAt(view, fork, path), await readFileAt(view, head, path)];
  if (base === null) return null;
  const { text, dropped, ids } =
    branch === null
      ? ({ text: base, dropped: 'tasks', ids: [] } as const)
      : branchEdits(kindOf(path), base, branch, task);
  if (text === branch) return null;
  try {
    const counted = await replaceFile(view, tree, path, await writeBlob(view, text));
    return { tree: counted, dropped: describe(path, dropped, ids) };
  } catch (error) {
    // It made something else than a file of it: landing will say so.
    if (error instanceof AppError && error.code === 'E_TASKS_UNSAFE') return null;
    throw error;
  }
}

const kindOf = (path: string) => trackerKindOf(path) ?? 'markdown';

const NAMED_MAX = 3;

function describe(path: string, dropped: 'fields' | 'tasks' | null, ids: readonly TaskId[]): string {
  if (dropped === null) return `a new layout in ${path} was dropped: it says the same`;
  if (dropped === 'tasks')
    return `its change of the tasks in ${path} was dropped: which tasks there are is for a person to say`;
  const more = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : '';
  return `its change of ${ids.slice(0, NAMED_MAX).join(', ')}${more} in ${path} was dropped: a task is ticked when its work lands`;
}
