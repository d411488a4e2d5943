import { withEntry, withLoop } from '../loops/draft.ts';
import type { Event, Stamp } from '../model/events.ts';
import type { TaskKey } from '../model/ids.ts';
import { withoutCar } from './land.ts';
import { park } from '../loops/loop.ts';
import type { State } from '../model/model.ts';
import { isLive } from '../model/model.ts';
import { taskIdOf, trackerOf } from '../model/tasks.ts';

/**
 * Its work stays on its branch and lands no more. That it was not first is no attempt at the task; what another has is not begun
 * again before the tracker was read anew.
 */
export function loseClaim(state: State, event: Extract<Event, { type: 'claim-lost' }>, stamp: Stamp): State {
  const loop = state.loops[event.loop];
  if (loop === undefined || loop.fence !== event.fence || !isLive(loop)) return state;
  const parked = withLoop(state, park(loop, 'reset', event.why, stamp));
  const attempts = event.isFree ? 0 : (state.attempts[loop.task] ?? 1) - 1;
  const next = {
    ...parked,
    attempts: withEntry(parked.attempts, loop.task, attempts),
    landing: withoutCar(parked.landing, loop.id),
  };
  return event.isFree ? next : held(next, loop.task, event.why);
}

function held(state: State, task: TaskKey, why: string): State {
  const name = trackerOf(state, task);
  const read = state.trackers[name];
  if (read === undefined) return state;
  const id = taskIdOf(state, task);
  const tasks = read.tasks.map((one) =>
    one.id === id ? { ...one, status: 'blocked' as const, blockedReason: why } : one,
  );
  return { ...state, trackers: { ...state.trackers, [name]: { ...read, digest: '', tasks } } };
}
