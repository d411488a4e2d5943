import { EXIT } from '../../../core/errors.ts';
import { taskViews } from '../../../core/view.ts';
import type { TaskView } from '../../../core/view.ts';
import { columns } from '../output.ts';
import type { Handler } from '../handler.ts';
import { openTasks } from '../open-tasks.ts';
import { openProject, readState } from '../project.ts';
import { warnAll } from '../warn-all.ts';

export const handle: Handler = async (call) => {
  const project = await openProject(call);
  const { tracker, state, warnings } = await openTasks(project, await readState(project.repo));
  warnAll(call, warnings);
  const views = taskViews(state, tracker);
  if (call.flags['json'] === true) call.out.json({ version: 1, tracker, tasks: views });
  else call.out.data(columns(views.map(taskRow)));
  return EXIT.ok;
};

export function taskRow(view: TaskView): readonly string[] {
  const why =
    view.detail ??
    (view.depends_on.length > 0 && view.status === 'waiting' ? `after ${view.depends_on.join(', ')}` : '');
  return [view.status, view.id, view.group ?? '-', view.title + (why === '' ? '' : ` (${why})`)];
}
