import { EXIT } from '../../../core/errors.ts';
import { taskKey } from '../../../core/ids.ts';
import { loopsOf } from '../../../core/model.ts';
import { taskViews } from '../../../core/view.ts';
import { cleanText } from '../../../text/screen/clean.ts';
import type { Handler } from '../handler.ts';
import { findOne } from '../find-one.ts';
import { openTasks } from '../open-tasks.ts';
import { columns } from '../output.ts';
import { openProject, readState } from '../project.ts';
import { howMany } from '../../../core/how-many.ts';

export const handle: Handler = async (call) => {
  const project = await openProject(call);
  const { tracker, state } = await openTasks(project, await readState(project.repo));
  const view = findOne(taskViews(state, tracker), (task) => [task.id], call.args[0] ?? '', 'task', 'ralph tasks list');
  const task = state.trackers[tracker]?.tasks.find((one) => one.id === view.id);
  const loops = loopsOf(state).filter((loop) => task !== undefined && loop.task === taskKey(tracker, task.id));
  if (call.flags['json'] === true) {
    call.out.json({ version: 1, tracker, ...view, body: task?.body ?? '', acceptance: task?.acceptance ?? [], loops });
    return EXIT.ok;
  }
  const facts = [
    ['task', view.id],
    ['title', view.title],
    ['status', view.detail === null ? view.status : `${view.status}: ${view.detail}`],
    ['where', `${tracker}:${view.line}`],
    ['group', view.group ?? '-'],
    ['after', view.depends_on.join(', ') || '-'],
    ...loops.map((loop) => [
      'loop',
      `${loop.id} attempt ${loop.attempt}, ${howMany(loop.counted, 'iteration')}, ${loop.phase.at}, branch ${loop.branch}${loop.worktree === null ? '' : `, ${loop.worktree}`}`,
    ]),
    ...(view.commit === null ? [] : [['landed as', view.commit]]),
    ...(view.next === null ? [] : [['next', view.next]]),
  ];
  call.out.data(columns(facts));
  if (task !== undefined && task.body !== '') call.out.data(`\n${cleanText(task.body)}`);
  for (const line of task?.acceptance ?? []) call.out.data(`- ${cleanText(line)}`);
  const gate = loops.at(-1)?.lastGate;
  if (gate?.verdict === 'red') call.out.data(`\n$ ${gate.failing ?? ''}\n${cleanText(gate.tail)}`);
  return EXIT.ok;
};
