import { unreachable } from './assert.ts';
import type { Event, Stamp } from './events.ts';
import { hear } from './hear.ts';
import type { LoopId, TaskKey } from './ids.ts';
import { adopted, beginLoop, endGates, endIteration, park, worktreeLost, worktreeMade } from './loop.ts';
import type { Host, Loop, State } from './model.ts';
import { isLive, isWorking, loopsOf } from './model.ts';
import { parkStranded } from './put-aside.ts';
import { mainMerged } from './rework.ts';

type Named = Extract<Event, { readonly loop: LoopId }> | Extract<Event, { type: 'task-reset' }>;
export type LoopEvent =
  | Exclude<Named, { type: 'task-proposed' | 'loop-sent-back' | 'loop-bumped' | 'loop-ejected' }>
  | (Extract<Event, { type: 'command-failed' }> & { readonly loop: LoopId });

/** What became of one loop, and of what builds on it. */
export function applyLoopEvent(state: State, event: LoopEvent, stamp: Stamp): State {
  const next = changeOne(state, event, stamp);
  const at = 'loop' in event && next !== state ? next.loops[event.loop]?.phase.at : undefined;
  return at === 'parked' || at === 'ready' ? parkStranded(next, stamp) : next;
}

function changeOne(state: State, event: LoopEvent, stamp: Stamp): State {
  switch (event.type) {
    case 'task-reset':
      return resetTask(state, event.task, stamp);
    case 'task-claimed':
      return beginLoop(state, event, stamp);
    case 'loop-adopted':
      return changeLoop(state, event.loop, (loop) =>
        loop.host === null && isWorking(loop) ? adopted(loop, event, stamp) : loop,
      );
    case 'worktree-made':
      return changeOwned(state, event, (loop, host) => worktreeMade(loop, event, host.policy.limits, stamp));
    case 'worktree-lost':
      return changeLoop(state, event.loop, (loop) => worktreeLost(loop, stamp));
    case 'worktree-retired':
      return changeLoop(state, event.loop, (loop) => ({ ...loop, worktree: null, worktreeState: 'retired' }));
    case 'worktree-kept':
      return changeLoop(state, event.loop, (loop) => ({ ...loop, worktreeState: 'kept' }));
    case 'iteration-ended':
      return endIteration(state, event, stamp);
    case 'gates-ended':
      return endGates(state, event, stamp);
    case 'main-merged': {
      const loop = state.loops[event.loop];
      return loop == null || loop.host === null || loop.fence !== event.fence
        ? state
        : mainMerged(state, loop, event, stamp);
    }
    case 'loop-released':
      return changeOwned(state, event, (loop) => ({ ...loop, host: null, waitsFor: event.why, since: stamp.at }));
    case 'loop-progressed':
    case 'loop-blocked':
    case 'loop-done':
    case 'loop-steered':
      return changeLoop(state, event.loop, (loop) => hear(loop, event, stamp));
    case 'command-failed':
      return changeLoop(state, event.loop, (loop) =>
        loop.fence === event.fence && isWorking(loop) ? park(loop, 'broken', event.message, stamp) : loop,
      );
    default:
      return unreachable(event);
  }
}

function changeLoop(state: State, id: Loop['id'], change: (loop: Loop) => Loop): State {
  const loop = state.loops[id];
  if (loop == null) return state;
  const changed = change(loop);
  return changed === loop ? state : { ...state, loops: { ...state.loops, [id]: changed } };
}

/** Changes a loop only if the fact comes from whoever holds it now. */
function changeOwned(
  state: State,
  event: { readonly loop: Loop['id']; readonly fence: number },
  change: (loop: Loop, host: Host) => Loop,
): State {
  return changeLoop(state, event.loop, (loop) => {
    const host = loop.host === null ? undefined : state.hosts[loop.host];
    return host == null || loop.fence !== event.fence ? loop : change(loop, host);
  });
}

function landsTask({ landing, loops }: State, task: TaskKey): boolean {
  if (landing === null) return false;
  return landing.cars.some((car) => car.loop !== null && loops[car.loop]?.task === task);
}

function resetTask(state: State, task: TaskKey, stamp: Stamp): State {
  const loops = { ...state.loops };
  for (const loop of loopsOf(state))
    if (loop.task === task && isLive(loop)) loops[loop.id] = park(loop, 'reset', 'freed by ralph tasks reset', stamp);
  const { [task]: _attempts, ...attempts } = state.attempts;
  const { [task]: _landed, ...landed } = state.landed;
  const next = { ...state, loops, attempts, landed, landing: landsTask(state, task) ? null : state.landing };
  return parkStranded(next, stamp);
}
