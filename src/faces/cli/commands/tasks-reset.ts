import { loopsOf } from '../../../core/model/model.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { chooseTask, resetTask } from '../../call/acts/reset.ts';
import type { TaskReset } from '../../call/acts/reset.ts';
import type { Answer, Handler } from '../../call/handler.ts';
import { openProject, readState } from '../../call/project.ts';
import { actOnEach, filteredTasks, requireChoice } from '../run/act-on-each.ts';
import type { OfEach } from '../run/act-on-each.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

export const handle: Handler<OfEach<TaskReset>> = async (call) => {
  refuseInLoop(call, 'tasks reset');
  requireChoice(call);
  const project = await openProject(call);
  const state = await readState(project.repo);
  const again = call.flags['again'] === true;
  const reset = async (id: string): Promise<Answer<TaskReset>> =>
    inWords(await resetTask(project, id, { again, env: call.env }));
  const chosen = await filteredTasks(call, project, state);
  if (chosen === null) {
    // A slip in one of them is told before anything is freed.
    const ids = await Promise.all(call.args.map(async (id) => (await chooseTask(project, state, id)).id));
    return actOnEach(call, [...new Set(ids)], reset);
  }
  const begun = new Set(loopsOf(state).map(({ task }) => task));
  const open = chosen.filter((key) => begun.has(key) && (state.landed[key] === undefined || again));
  return actOnEach(
    call,
    open.map((key) => taskIdOf(state, key)),
    reset,
  );
};

const inWords = (data: TaskReset): Answer<TaskReset> => ({
  data,
  says: [
    `reset ${data.task}: it can start again`,
    ...data.stopped.map((loop) => `  loop ${loop} is ended`),
    ...data.kept.map((branch) => `  its work is kept on ${branch}`),
    'next: ralph run --parallel',
  ],
});
