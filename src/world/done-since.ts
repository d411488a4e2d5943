import type { Sha, TaskId } from '../core/ids.ts';
import { trackerKindOf } from '../text/trackers/tracker-names.ts';
import { parseTracker } from '../text/trackers/tracker.ts';
import { readFileAt } from './git/tree-edit.ts';
import type { GitView } from './git/view.ts';
import { findAllLandings } from './landings.ts';
import type { Integration } from './world.ts';

/** By a landing of another clone that was merged in, or by a tick. What was ticked before was to be done once more. */
export async function doneSince(
  view: GitView,
  { from, to, tracker, task, own, isOurs }: Parameters<Integration['doneSince']>[0],
): ReturnType<Integration['doneSince']> {
  const landings = await findAllLandings(view, to, [from, ...own]);
  const landing = landings.findLast((one) => one.task === task && one.tracker === tracker && !isOurs(one.loop));
  if (landing !== undefined) return { commit: landing.commit };
  const isTicked = (await doneAt(view, to, tracker)).has(task) && !(await doneAt(view, from, tracker)).has(task);
  return isTicked ? { commit: null } : null;
}

/** Tasks that are done in a commit's version of a task file. */
export async function doneAt(view: GitView, commit: Sha, path: string): Promise<ReadonlySet<TaskId>> {
  const text = await readFileAt(view, commit, path);
  const { tasks } = parseTracker(trackerKindOf(path) ?? 'markdown', text ?? '');
  return new Set(tasks.flatMap((task) => (task.status === 'done' ? [task.id] : [])));
}
