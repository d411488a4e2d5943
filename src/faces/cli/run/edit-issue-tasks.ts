import { AppError } from '../../../core/model/errors.ts';
import { GITHUB } from '../../../core/model/tasks.ts';
import type { TaskId } from '../../../core/model/ids.ts';
import { parsePriority, PRIORITY_FORMS } from '../../../text/trackers/priority.ts';
import type { Mark } from '../../../text/trackers/mark-task.ts';
import { addIssue, markIssue } from '../../../world/forge/issues/edit-issues.ts';
import { openGithubTracker, openIssues } from '../../../world/forge/issues/open-issues.ts';
import type { IssuesOrder } from '../../../world/forge/issues/open-issues.ts';
import { findOne } from '../../call/find-one.ts';
import type { Answer, Call } from '../../call/handler.ts';
import { readTracker } from '../../call/open-tasks.ts';
import { DID, listOf, textOf } from './edited-task.ts';
import type { Added, Marked } from './edited-task.ts';

export async function markOnGithub(
  call: Call,
  order: IssuesOrder,
  mark: Mark,
  reason: string | null,
): Promise<Answer<Marked>> {
  const [id] = await named(order, [call.args[0] ?? '']);
  if (id !== undefined) await markIssue(await openIssues(order), id, mark, reason);
  return { data: { tracker: GITHUB, task: id ?? null, status: mark }, says: [`#${String(id)} ${DID[mark]} on GitHub`] };
}

export async function addToGithub(call: Call, order: IssuesOrder, title: string): Promise<Answer<Added>> {
  const priority = textOf(call.flags['priority']);
  const level = priority === null ? null : parsePriority(priority);
  if (priority !== null && level === null)
    throw new AppError('E_USAGE', `--priority ${priority}: ${PRIORITY_FORMS}`, {
      remedy: 'ralph tasks add "what should be done" --priority 2',
    });
  const names = listOf(call.flags['dependsOn']) ?? [];
  const id = await addIssue(await openIssues(order), {
    title,
    body: textOf(call.flags['body']) ?? '',
    group: textOf(call.flags['group']),
    priority: level,
    deps: names.length === 0 ? [] : await named(order, names),
  });
  return { data: { tracker: GITHUB, task: id, title }, says: [`added #${id} on GitHub`] };
}

/** Issues by their numbers, as people write them: `12` or `#12`. */
async function named(order: IssuesOrder, names: readonly string[]): Promise<readonly TaskId[]> {
  const { tasks } = await readTracker(openGithubTracker(order));
  // The beginning of a number is another number.
  const exact = (name: string) => tasks.filter(({ id }) => id === name || `#${id}` === name);
  return names.map((name) => findOne(exact(name), ({ id }) => [id, `#${id}`], name, 'task', 'ralph tasks list').id);
}
