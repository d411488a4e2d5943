import type { Event } from '../../../core/events.ts';
import { EXIT } from '../../../core/errors.ts';
import { taskId, taskKey } from '../../../core/ids.ts';
import { isLive, loopsOf } from '../../../core/model.ts';
import { taskViews } from '../../../core/view.ts';
import { openFileLog } from '../../../world/log/file-log.ts';
import { logFolder } from '../../../world/state-places.ts';
import type { Handler } from '../handler.ts';
import { findOne } from '../find-one.ts';
import { openTasks } from '../open-tasks.ts';
import { openProject, readState } from '../project.ts';

/** One fact in the log; whoever works on the task stops by itself when it reads it. */
export const handle: Handler = async (call) => {
  const project = await openProject(call);
  const log = await openFileLog<Event>(logFolder(project.repo));
  for (;;) {
    const { tracker, state } = await openTasks(project, await readState(project.repo));
    const view = findOne(
      taskViews(state, tracker),
      (task) => [task.id],
      call.args[0] ?? '',
      'task',
      'ralph tasks list',
    );
    const key = taskKey(tracker, taskId(view.id));
    const read = state.trackers[tracker];
    const known: readonly Event[] =
      read === undefined ? [] : [{ type: 'tasks-read', tracker, digest: read.digest, tasks: read.tasks }];
    const written = await log.append(state.seq, 'cli', Date.now(), [...known, { type: 'task-reset', task: key }]);
    if (!written.ok) continue;
    const held = loopsOf(state).filter((loop) => loop.task === key && isLive(loop));
    const kept = loopsOf(state).filter((loop) => loop.task === key && loop.head !== null && loop.head !== loop.base);
    if (call.flags['json'] === true)
      call.out.json({
        version: 1,
        task: view.id,
        stopped: held.map((loop) => loop.id),
        kept: kept.map((loop) => loop.branch),
      });
    else {
      call.out.say(`reset ${view.id}: it can start again`);
      for (const loop of held) call.out.say(`  loop ${loop.id} is ended`);
      for (const loop of kept) call.out.say(`  its work is kept on ${loop.branch}`);
      call.out.say('next: ralph run --parallel');
    }
    return EXIT.ok;
  }
};
