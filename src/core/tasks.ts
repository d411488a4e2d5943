import type { TaskKey } from './ids.ts';
import { taskKey } from './ids.ts';
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

/** The tracker and the id a key was made of, for people. */
export function taskIdOf(state: State, key: TaskKey): string {
  return findTask(state, key)?.id ?? key.slice(key.indexOf('#') + 1);
}
