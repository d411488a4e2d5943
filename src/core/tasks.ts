import type { TaskId, TaskKey } from './ids.ts';
import { taskId, taskKey } from './ids.ts';
import type { State } from './model.ts';
import type { Task } from './task.ts';

/** The task a key names, as its tracker told it last. */
export function findTask(state: State, key: TaskKey): Task | null {
  for (const [tracker, { tasks }] of Object.entries(state.trackers)) {
    if (!key.startsWith(`${tracker}#`)) continue;
    const found = tasks.find((task) => taskKey(tracker, task.id) === key);
    if (found != null) return found;
  }
  return null;
}

/** The id a key was made of, also when its task is no longer in the tracker. */
export function taskIdOf(state: State, key: TaskKey): TaskId {
  return findTask(state, key)?.id ?? taskId(key.slice(key.indexOf('#') + 1));
}
