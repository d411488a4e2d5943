import { AppError } from '../../../core/model/errors.ts';
import type { TaskId } from '../../../core/model/ids.ts';
import { taskId } from '../../../core/model/ids.ts';
import { isAtWork, workComment } from '../../../text/forge/work-comment.ts';
import { BLOCKED, IN_PROGRESS, PROPOSED } from '../../../text/trackers/issue-tasks.ts';
import type { Issue } from '../../../text/trackers/issue-tasks.ts';
import type { Mark } from '../../../text/trackers/mark-task.ts';
import type { IssueCalls } from './issue-calls.ts';
import { openIssueCalls } from './issue-calls.ts';
import type { OpenedIssues } from './issue-tracker.ts';

export interface NewTask {
  readonly title: string;
  readonly body: string;
  readonly group: string | null;
  readonly priority: number | null;
  readonly deps: readonly string[];
}

/** What a person says of an issue. */
export async function markIssue(opened: OpenedIssues, task: TaskId, mark: Mark, reason: string | null): Promise<void> {
  const calls = openIssueCalls(opened);
  const issue = await one(calls, task);
  const { number, labels, isOpen } = issue;
  if (mark === 'done') {
    if (isOpen) await calls.setOpen(number, false);
    if (labels.includes(IN_PROGRESS)) await calls.unlabel(number, IN_PROGRESS);
  } else if (mark === 'blocked') {
    if (!labels.includes(BLOCKED)) await calls.label(number, BLOCKED);
    if (reason !== null) await calls.say(number, `Blocked: ${reason}`);
  } else {
    if (!isOpen) await calls.setOpen(number, true);
    for (const label of [BLOCKED, PROPOSED]) if (labels.includes(label)) await calls.unlabel(number, label);
    await free(calls, issue);
  }
}

export async function addIssue(opened: OpenedIssues, task: NewTask): Promise<TaskId> {
  const { title, body, group, priority, deps } = task;
  const needs = deps.length === 0 ? '' : `Depends on ${deps.map((id) => `#${id}`).join(', ')}`;
  const labels = [
    ...opened.settings.labels,
    ...(group === null ? [] : [`group:${group}`]),
    ...(priority === null ? [] : [`priority:${priority}`]),
  ];
  const text = [body, needs].filter((part) => part !== '').join('\n\n');
  return taskId(String(await openIssueCalls(opened).create({ title, body: text, labels })));
}

/** Frees what a loop holds; what a person labelled as in progress is left as it is. */
export async function freeIssue(opened: OpenedIssues, task: TaskId, isAgain: boolean): Promise<void> {
  const calls = openIssueCalls(opened);
  const issue = await one(calls, task);
  if (!issue.isOpen && !isAgain) return;
  if (!issue.isOpen) await calls.setOpen(issue.number, true);
  await free(calls, issue);
}

async function free(calls: IssueCalls, { number, labels }: Issue): Promise<void> {
  const [said] = await calls.work(number);
  if (said === undefined || !isAtWork(said)) return;
  const text = { branch: '', attempt: 0, detail: 'freed by hand' };
  await calls.rewrite(said.id, workComment({ actor: said.actor, phase: 'free', ...text }));
  if (labels.includes(IN_PROGRESS)) await calls.unlabel(number, IN_PROGRESS);
}

async function one(calls: IssueCalls, task: TaskId): Promise<Issue> {
  const issue = await calls.get(Number(task));
  if (issue !== null) return issue;
  throw new AppError('E_FORGE', `there is no issue #${task} on GitHub`, { remedy: 'ralph tasks list' });
}
