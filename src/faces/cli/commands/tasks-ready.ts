import { taskViews } from '../../../core/views/view.ts';
import { withChosen } from '../run/choose-tasks.ts';
import { columns } from '../../call/output.ts';
import type { Handler } from '../../call/handler.ts';
import { openTasks } from '../../call/open-tasks.ts';
import { startable } from '../run/startable.ts';
import { openProject, readState } from '../../call/project.ts';
import { warnAll } from '../show/warn-all.ts';
import type { TaskList } from './tasks-list.ts';
import { taskRow } from './tasks-list.ts';

/** Ready: it could start now if there were a slot. */
export const handle: Handler<TaskList> = async (call) => {
  const project = await openProject(call);
  const { tracker, state: all, warnings } = await openTasks(project, await readState(project.repo));
  const state = withChosen(call, all, tracker, project.config.settings.tracker.only);
  warnAll(call, warnings);
  const { settings } = project.config;
  const known = new Map(taskViews(state, tracker, settings.limits.attempts).map((view) => [view.id, view]));
  const views = startable(state, { tracker, settings, env: call.env }).flatMap((id) => known.get(id) ?? []);
  const says = views.length === 0 ? ['no task could start now; see: ralph tasks list'] : [];
  return { data: { tracker, tasks: views }, text: columns(views.map(taskRow), call.out.width), says };
};
