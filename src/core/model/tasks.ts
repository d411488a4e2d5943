import { OUTSIDE_TRACKERS } from './settings.ts';
import type { OutsideTracker } from './settings.ts';
import type { Sha, TaskId, TaskKey } from './ids.ts';
import { taskId, taskKey } from './ids.ts';
import type { State } from './model.ts';
import type { Task } from './task.ts';

/** Nobody changes a list of tasks, so what was once found in it is found again. */
const byId = new WeakMap<readonly Task[], ReadonlyMap<string, Task>>();
const byPlace = new WeakMap<readonly Task[], ReadonlyMap<TaskKey, number>>();

/** The task a key names, as its tracker told it last. */
export function findTask(state: State, key: TaskKey): Task | null {
  for (let at = key.indexOf('#'); at >= 0; at = key.indexOf('#', at + 1)) {
    const name = key.slice(0, at);
    const tasks = Object.hasOwn(state.trackers, name) ? state.trackers[name]?.tasks : undefined;
    const found = tasks === undefined ? undefined : idsOf(tasks).get(key.slice(at + 1));
    if (found !== undefined) return found;
  }
  return null;
}

function idsOf(tasks: readonly Task[]): ReadonlyMap<string, Task> {
  const known = byId.get(tasks);
  if (known !== undefined) return known;
  // Of two with one id the first counts.
  const made = new Map(tasks.toReversed().map((task) => [task.id as string, task]));
  byId.set(tasks, made);
  return made;
}

/** The tracker a key was made of, also when its task is no longer in it. */
export function trackerOf(state: State, key: TaskKey): string {
  const first = key.indexOf('#');
  for (let at = first; at >= 0; at = key.indexOf('#', at + 1)) {
    const name = key.slice(0, at);
    if (Object.hasOwn(state.trackers, name)) return name;
  }
  return key.slice(0, first);
}

/** Where each task stands in its list: a file's own order; where the list has none, by priority and then as it was told. Ascending. */
export function placesIn({ trackers }: State, tracker: string): ReadonlyMap<TaskKey, number> {
  const tasks = trackers[tracker]?.tasks ?? [];
  const known = byPlace.get(tasks);
  if (known !== undefined) return known;
  const ordered = tracker === 'beads' ? inOrder(tasks) : tasks;
  const places = new Map(ordered.map((task, place) => [taskKey(tracker, task.id), place]));
  byPlace.set(tasks, places);
  return places;
}

/** It has landed, or its list says that it is done. */
export const isOver = (state: State, key: TaskKey): boolean =>
  state.landed[key] !== undefined || findTask(state, key)?.status === 'done';

const PROMPT = 'prompt:';

/** The name under which a single prompt is a tracker of one task: no file stands behind it. */
export const promptTracker = (id: string): string => `${PROMPT}${id}`;
export const isPromptTracker = (tracker: string): boolean => tracker.startsWith(PROMPT);
export const isPromptTask = (key: TaskKey): boolean => key.startsWith(PROMPT);

/** The tracker whose tasks the program `bd` keeps. */
export const BEADS = 'beads' satisfies OutsideTracker;

/** The tracker whose tasks are issues on GitHub. */
export const GITHUB = 'github' satisfies OutsideTracker;

/** No landing commit carries anything of it: what becomes of its tasks is told to whoever keeps it. */
export const isOutside = (tracker: string): tracker is OutsideTracker =>
  OUTSIDE_TRACKERS.some((one) => one === tracker);

/** Its text can be in a commit. */
export const isFile = (tracker: string): boolean => !isPromptTracker(tracker) && !isOutside(tracker);

/** The path of a tracker in a tree; where there is none, one that no tree has. */
export const pathOf = (tracker: string): string => (isOutside(tracker) ? `${tracker}:` : tracker);

/** The id a key was made of, also when its task is no longer in the tracker. */
export function taskIdOf(state: State, key: TaskKey): TaskId {
  return findTask(state, key)?.id ?? taskId(key.slice(key.indexOf('#') + 1));
}

/** What landing a loop ticks, and in which tracker. Where no file lists the task there is nothing to tick. */
export function tickOf(
  state: State,
  { task: key }: { readonly task: TaskKey },
): { readonly tick: TaskId | null; readonly tracker: string } {
  const tracker = trackerOf(state, key);
  return { tick: isFile(tracker) ? (findTask(state, key)?.id ?? null) : null, tracker };
}

/** Tasks that have landed and are not ticked where the list was read. */
export function landedUnticked({ trackers, landed }: State, tracker: string): readonly TaskId[] {
  const open = (trackers[tracker]?.tasks ?? []).filter(({ status }) => status !== 'done');
  return open.flatMap(({ id }) => (landed[taskKey(tracker, id)] === undefined ? [] : [id]));
}

/** The order in which tasks start: by priority, then as they stand in the file. */
export function inOrder(tasks: readonly Task[]): readonly Task[] {
  const rank = (task: Task): number => task.priority ?? Number.POSITIVE_INFINITY;
  return tasks
    .map((task, index) => ({ task, index }))
    .sort((a, b) => (rank(a.task) === rank(b.task) ? a.index - b.index : rank(a.task) - rank(b.task)))
    .map(({ task }) => task);
}

/** Tasks that have landed for this target and are open in the list all the same: whoever looks at git can tell why. */
export function landedAndOpen(
  { landed, loops }: State,
  tracker: string,
  { tasks, target }: { readonly tasks: readonly Task[]; readonly target: string },
): readonly { readonly task: TaskId; readonly commit: Sha }[] {
  return tasks.flatMap(({ id, status }) => {
    const landing = landed[taskKey(tracker, id)];
    const isOfOther = landing !== undefined && (loops[landing.loop]?.target ?? target) !== target;
    return landing === undefined || isOfOther || status === 'done' ? [] : [{ task: id, commit: landing.commit }];
  });
}
