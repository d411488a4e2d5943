import type { Sha, TaskId } from '../../core/model/ids.ts';
import { trackerKindOf } from '../../text/trackers/tracker-names.ts';
import { parseTracker } from '../../text/trackers/tracker.ts';
import { forkOfAll, isAncestor } from '../git/merge/merge.ts';
import { readFileAt } from '../git/objects/trees.ts';
import type { GitView } from '../git/run/view.ts';
import { findAllLandings } from '../git/objects/history.ts';
import type { FoundLanding, Integration } from '../contract/world.ts';

type Asked = Parameters<Integration['doneSince']>[0];
type Answer = Awaited<ReturnType<Integration['doneSince']>>[number];

/**
 * By a landing of another clone that was merged in, or by a tick. What was ticked before was to be done once more. Landings are
 * listed once, from where all began; only where that names a task is it asked whether it was since.
 */
export async function doneSince(view: GitView, asked: Asked): ReturnType<Integration['doneSince']> {
  const { to, known, tasks, own, isOurs } = asked;
  if (tasks.length === 0 || (known !== null && (await isAncestor(view, to, known)))) return tasks.map(() => null);
  const began = await forkOfAll(
    view,
    tasks.map(({ from }) => from),
  );
  const landings = await findAllLandings(view, to, [...began, ...own]);
  const ticked = new Map<string, ReadonlySet<TaskId>>();
  const answers: Answer[] = [];
  for (const { from, tracker, task } of tasks) {
    const isSame = (one: FoundLanding): boolean => one.task === task && one.tracker === tracker && !isOurs(one.loop);
    const since = landings.some(isSame) ? await findAllLandings(view, to, [from, ...own]) : [];
    const landing = since.findLast(isSame);
    const done = ticked.get(tracker) ?? (await doneAt(view, to, tracker));
    ticked.set(tracker, done);
    const isTicked = landing === undefined && done.has(task) && !(await doneAt(view, from, tracker)).has(task);
    answers.push(landing === undefined && !isTicked ? null : { commit: landing?.commit ?? null });
  }
  return answers;
}

/** Tasks that are done in a commit's version of a task file. */
export async function doneAt(view: GitView, commit: Sha, path: string): Promise<ReadonlySet<TaskId>> {
  const text = await readFileAt(view, commit, path);
  const { tasks } = parseTracker(trackerKindOf(path) ?? 'markdown', text ?? '');
  return new Set(tasks.flatMap((task) => (task.status === 'done' ? [task.id] : [])));
}
