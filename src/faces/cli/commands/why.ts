import { describeWaiting } from '../../../core/views/describe-waiting.ts';
import { planRun } from '../../../core/plan/plan-run.ts';
import { allTaskViews } from '../../../core/views/view.ts';
import type { Standing, TaskState } from '../../../core/views/standing.ts';
import type { Explanation } from '../../../core/views/why.ts';
import { explain } from '../../../core/views/why.ts';
import { cleanText } from '../../../text/screen/clean.ts';
import { preflight } from '../../../world/git/files/preflight.ts';
import { failedWords } from '../show/say-failed-setup.ts';
import { findOne } from '../../call/find-one.ts';
import type { Handler } from '../../call/handler.ts';
import { openTasks } from '../../call/open-tasks.ts';
import { runPolicy } from '../run/policy.ts';
import { openProject, readState } from '../../call/project.ts';
import { inLocalTime } from '../../../world/os/clock.ts';

interface Why extends Standing<TaskState>, Omit<Explanation, 'next'> {
  readonly task: string;
  readonly loop: string | null;
  readonly stderr: readonly string[];
}

/** Says in sentences why a task is not landed, shows the gate that failed, and how to see it fail again. */
export const handle: Handler<Why> = async (call) => {
  const project = await openProject(call);
  const { settings } = project.config;
  const { tracker, state } = await openTasks(project, await readState(project.repo));
  const names = (task: { readonly id: string; readonly loop: string | null }): readonly string[] =>
    task.loop === null ? [task.id] : [task.id, task.loop];
  const views = allTaskViews(state, tracker, settings.limits.attempts);
  const task = findOne(views, names, call.args[0] ?? '', 'task or loop', 'ralph tasks list');
  const { target } = await preflight(project.repo, settings.landing.target);
  const plan = planRun(state, runPolicy({ settings, tracker, target, agents: [], resolver: null, env: call.env }));
  const waiting = plan.waits.find((one) => one.task.id === task.id)?.waiting;
  const why = explain(state, task, { target, waiting: waiting === undefined ? null : describeWaiting(waiting) });
  const stderr = failedWords(project.repo, state, task.loop);
  call.out.data(`${cleanText(task.id)}: ${cleanText(task.title)} (${task.state})`);
  for (const sentence of why.sentences) call.out.data(inLocalTime(cleanText(sentence)));
  for (const line of stderr) call.out.data(line);
  if (why.gate !== null) call.out.data(`\n$ ${cleanText(why.gate.command)}\n${cleanText(why.gate.tail)}`);
  if (why.reproduce !== null) call.out.data(`\nto see it again: ${cleanText(why.reproduce)}`);
  if (why.next !== null) call.out.data(`next: ${why.next}`);
  const { id, loop, state: at, reason } = task;
  return { data: { task: id, loop, state: at, reason, why: task.why, ...why, stderr: stderr.slice(1) } };
};
