import { taskIdOf } from '../../../core/model/tasks.ts';
import { taskViews } from '../../../core/views/view.ts';
import { withChosen } from '../run/choose-tasks.ts';
import { columns } from '../../call/output.ts';
import type { Handler } from '../../call/handler.ts';
import { openTasks } from '../../call/open-tasks.ts';
import { planRun } from '../../../core/plan/plan-run.ts';
import { runPolicy } from '../run/policy.ts';
import { openProject, readState } from '../../call/project.ts';
import { warnAll } from '../show/warn-all.ts';
import type { TaskList } from './tasks-list.ts';
import { taskRow } from './tasks-list.ts';

const EVERY_SLOT = 10_000;

/** Ready: it could start now if there were a slot. */
export const handle: Handler<TaskList> = async (call) => {
  const project = await openProject(call);
  const { tracker, state: all, warnings } = await openTasks(project, await readState(project.repo));
  const state = withChosen(call, all, tracker, project.config.settings.tracker.only);
  warnAll(call, warnings);
  const policy = runPolicy({
    settings: project.config.settings,
    tracker,
    target: '',
    agents: [],
    resolver: null,
    env: call.env,
  });
  const starts = planRun(state, { ...policy, slots: EVERY_SLOT }).starts.map((start) => taskIdOf(state, start.task));
  const views = starts.flatMap((id) =>
    taskViews(state, tracker, policy.limits.attempts).filter((view) => view.id === id),
  );
  const says = views.length === 0 ? ['no task could start now; see: ralph tasks list'] : [];
  return { data: { tracker, tasks: views }, text: columns(views.map(taskRow), call.out.width), says };
};
