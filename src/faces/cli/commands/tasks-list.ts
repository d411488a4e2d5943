import { taskViews } from '../../../core/views/view.ts';
import type { TaskView } from '../../../core/views/view.ts';
import { withChosen } from '../run/choose-tasks.ts';
import { columns } from '../../call/output.ts';
import type { Handler } from '../../call/handler.ts';
import { openTasks } from '../../call/open-tasks.ts';
import { openProject, readState } from '../../call/project.ts';
import { warnAll } from '../show/warn-all.ts';

export interface TaskList {
  readonly tracker: string;
  readonly tasks: readonly TaskView[];
}

export const handle: Handler<TaskList> = async (call) => {
  const project = await openProject(call);
  const { tracker, state: all, warnings } = await openTasks(project, await readState(project.repo));
  const state = withChosen(call, all, tracker);
  warnAll(call, warnings);
  const views = taskViews(state, tracker, project.config.settings.limits.attempts);
  return { data: { tracker, tasks: views }, text: columns(views.map(taskRow), call.out.width) };
};

export function taskRow(view: TaskView): readonly string[] {
  const why =
    view.state !== 'open' ? view.why : view.depends_on.length > 0 ? `after ${view.depends_on.join(', ')}` : '';
  return [view.state, view.id, view.group ?? '-', view.title + (why === '' ? '' : ` (${why})`)];
}
