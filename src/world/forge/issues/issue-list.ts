import { performance } from 'node:perf_hooks';
import type { IssueSettings } from '../../../core/model/settings.ts';
import type { Task } from '../../../core/model/task.ts';
import type { Work } from '../../../text/forge/work-comment.ts';
import { IN_PROGRESS, isChosen, issueTasks, neededBy } from '../../../text/trackers/issue-tasks.ts';
import type { Issue } from '../../../text/trackers/issue-tasks.ts';
import type { IssueCalls } from './issue-calls.ts';

/** All issues that count, as they were at one moment. */
export interface SeenIssues {
  readonly issues: readonly Issue[];
  readonly tasks: readonly Task[];
  readonly work: ReadonlyMap<number, Work>;
  readonly atMs: number;
}

/** The list with what belongs to it: who works, what is a part of what, and what others are waited for. */
export async function lookAtIssues(
  calls: IssueCalls,
  settings: IssueSettings,
  repository: string,
): Promise<SeenIssues> {
  const atMs = performance.now();
  const issues = (await calls.list(settings.labels)).filter((issue) => isChosen(settings, issue));
  const open = issues.filter(({ isOpen }) => isOpen);
  const work = new Map<number, Work>();
  for (const { number, labels, comments } of open)
    if (comments > 0 && labels.includes(IN_PROGRESS)) {
      const [said] = await calls.work(number);
      if (said !== undefined) work.set(number, said);
    }
  const others = new Map<number, boolean>();
  const parts = new Map<number, readonly number[]>();
  for (const { number, parts: count } of open) {
    const listed = issues.filter(({ parent }) => parent === number).length;
    if (count <= listed) continue;
    const all = await calls.partsOf(number);
    parts.set(
      number,
      all.map((one) => one.number),
    );
    for (const one of all) others.set(one.number, one.isOpen);
  }
  for (const number of neededBy(issues, repository)) {
    if (others.has(number)) continue;
    const found = await calls.get(number);
    if (found !== null) others.set(number, found.isOpen);
  }
  const around = { repository, isAnyLabel: settings.labels.length === 0, others, parts, work };
  return { issues, tasks: issueTasks(issues, around), work, atMs };
}
