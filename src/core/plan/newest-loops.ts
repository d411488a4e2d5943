import type { TaskKey } from '../model/ids.ts';
import type { Loop, State } from '../model/model.ts';
import { isLive, loopsOf } from '../model/model.ts';

/**
 * The loop that stands for each task: the last one, or an older one that a person let go on. State keeps loops in the order
 * they began; a wall clock may have gone back since.
 */
export function newestLoops(state: State): ReadonlyMap<TaskKey, Loop> {
  const newest = new Map<TaskKey, Loop>();
  for (const loop of loopsOf(state)) {
    const other = newest.get(loop.task);
    if (other === undefined || !isLive(other)) newest.set(loop.task, loop);
  }
  return newest;
}
