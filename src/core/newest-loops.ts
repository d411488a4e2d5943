import type { TaskKey } from './ids.ts';
import type { Loop, State } from './model.ts';
import { loopsOf } from './model.ts';

/** The last loop of each task. State keeps loops in the order they began; a wall clock may have gone back since. */
export function newestLoops(state: State): ReadonlyMap<TaskKey, Loop> {
  return new Map(loopsOf(state).map((loop) => [loop.task, loop]));
}
