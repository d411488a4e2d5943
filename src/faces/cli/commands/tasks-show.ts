import { taskKey } from '../../../core/model/ids.ts';
import { loopsOf } from '../../../core/model/model.ts';
import { describeStanding, standing } from '../../../core/views/standing.ts';
import type { LoopRow } from '../../../core/views/loops-view.ts';
import { loopRows } from '../../../core/views/loops-view.ts';
import type { TaskView } from '../../../core/views/view.ts';
import { taskViews } from '../../../core/views/view.ts';
import { cleanText } from '../../../text/screen/clean.ts';
import type { Handler } from '../../call/handler.ts';
import { findOne } from '../../call/find-one.ts';
import { openTasks } from '../../call/open-tasks.ts';
import { columns } from '../../call/output.ts';
import { openProject, readState } from '../../call/project.ts';
import { howMany } from '../../../core/model/describe-time.ts';

interface ShownTask extends TaskView {
  readonly tracker: string;
  readonly body: string;
  readonly acceptance: readonly string[];
  readonly loops: readonly LoopRow[];
}

export const handle: Handler<ShownTask> = async (call) => {
  const project = await openProject(call);
  const { tracker, state } = await openTasks(project, await readState(project.repo));
  const views = taskViews(state, tracker, project.config.settings.limits.attempts);
  const view = findOne(views, (task) => [task.id], call.args[0] ?? '', 'task', 'ralph tasks list');
  const task = state.trackers[tracker]?.tasks.find((one) => one.id === view.id);
  const loops = loopsOf(state).filter((loop) => task !== undefined && loop.task === taskKey(tracker, task.id));
  const facts = [
    ['task', view.id],
    ['title', view.title],
    ['state', describeStanding(view)],
    ['where', `${tracker}:${view.line}`],
    ['group', view.group ?? '-'],
    ['after', view.depends_on.join(', ') || '-'],
    ...loops.map((loop) => [
      'loop',
      `${loop.id} attempt ${loop.attempt}, ${howMany(loop.counted, 'iteration')}, ${standing(state, loop).state}, branch ${loop.branch}${loop.worktree === null ? '' : `, ${loop.worktree}`}`,
    ]),
    ...(view.commit === null ? [] : [['landed as', view.commit]]),
    ...(view.next === null ? [] : [['next', view.next]]),
  ];
  call.out.data(columns(facts, call.out.width));
  if (task !== undefined && task.body !== '') call.out.data(`\n${cleanText(task.body)}`);
  for (const line of task?.acceptance ?? []) call.out.data(`- ${cleanText(line)}`);
  const gate = loops.at(-1)?.lastGate;
  if (gate?.verdict === 'red') call.out.data(`\n$ ${gate.failing ?? ''}\n${cleanText(gate.tail)}`);
  const rows = loopRows(state, Date.now()).filter(({ id }) => loops.some((loop) => loop.id === id));
  return { data: { tracker, ...view, body: task?.body ?? '', acceptance: task?.acceptance ?? [], loops: rows } };
};
