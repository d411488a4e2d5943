import type { TaskKey } from '../model/ids.ts';
import type { Loop, State } from '../model/model.ts';
import { isLive, loopsOf } from '../model/model.ts';

/**
 * The loop that stands for each task: the last one, or an older one that a person let go on. State keeps loops in the order
 * they began; a wall clock may have gone back since.
 */
export function newestLoops(state: State, loops = loopsOf(state)): ReadonlyMap<TaskKey, Loop> {
  const newest = new Map<TaskKey, Loop>();
  for (const loop of loops) {
    const other = newest.get(loop.task);
    if (other === undefined || !isLive(other)) newest.set(loop.task, loop);
  }
  return newest;
}

/** Whether a task whose last loop was parked waits for a person: no run begins it anew, and every face calls it parked. */
export function staysParked(state: State, loop: Loop, attemptsMax: number): boolean {
  const attempts = state.attempts[loop.task] ?? 0;
  // A reset forgets the attempts: the next run begins anew, whatever the loop before was parked for.
  return attempts >= attemptsMax || (attempts > 0 && needsPerson(loop));
}

/**
 * An agent that strayed is not let loose again, what a person stopped, threw away or took out of the queue does not come back, and
 * what another has done is not done once more, until a person says so.
 */
const needsPerson = ({ phase }: Loop): boolean =>
  phase.at === 'parked' && ['tampered', 'discarded', 'ejected', 'stopped', 'duplicate'].includes(phase.reason);
