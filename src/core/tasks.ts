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

/** The tracker a key was made of, also when its task is no longer in it. */
export function trackerOf(state: State, key: TaskKey): string {
  const known = Object.keys(state.trackers).find((tracker) => key.startsWith(`${tracker}#`));
  return known ?? key.slice(0, key.indexOf('#'));
}

const PROMPT = 'prompt:';

/** The name under which a single prompt is a tracker of one task: no file stands behind it. */
export const promptTracker = (id: string): string => `${PROMPT}${id}`;
export const isPromptTracker = (tracker: string): boolean => tracker.startsWith(PROMPT);
export const isPromptTask = (key: TaskKey): boolean => key.startsWith(PROMPT);

/** The id a key was made of, also when its task is no longer in the tracker. */
export function taskIdOf(state: State, key: TaskKey): TaskId {
  return findTask(state, key)?.id ?? taskId(key.slice(key.indexOf('#') + 1));
}

/** What landing a loop ticks, and in which tracker. A prompt has no file to tick it in. */
export function tickOf(
  state: State,
  { task: key }: { readonly task: TaskKey },
): { readonly tick: TaskId | null; readonly tracker: string } {
  return { tick: isPromptTask(key) ? null : (findTask(state, key)?.id ?? null), tracker: trackerOf(state, key) };
}
