import { unreachable } from './assert.ts';
import type { Command } from './commands.ts';
import type { Event, Stamp } from './events.ts';
import { hostGone, hostJoined } from './hosts.ts';
import type { HostId, TaskKey } from './ids.ts';
import { applyLandingEvent, parkStranded } from './land.ts';
import { adopted, beginLoop, endGates, endIteration, park, worktreeLost, worktreeMade } from './loop.ts';
import type { Loop, State } from './model.ts';
import { isLive, isWorking, loopsOf } from './model.ts';
import { wishes } from './wishes.ts';

export interface Facts extends Stamp {
  readonly events: readonly Event[];
}

/** What the log says after one more record, and what this host should be doing then. */
export function step(state: State, record: Facts, me: HostId): readonly [State, readonly Command[]] {
  const next = fold(state, record);
  return [next, wishes(next, me)];
}

/** The state after one more record. A fact that no longer fits (a stranger's, a late one) changes nothing. */
export function fold(state: State, record: Facts): State {
  let next = state;
  for (const event of record.events) next = apply(next, event, record);
  return { ...next, seq: record.seq };
}

function apply(state: State, event: Event, stamp: Stamp): State {
  switch (event.type) {
    case 'host-joined':
      return hostJoined(state, event, stamp);
    case 'host-draining': {
      const host = state.hosts[event.host];
      return host == null ? state : { ...state, hosts: { ...state.hosts, [host.id]: { ...host, state: 'draining' } } };
    }
    case 'host-left':
    case 'host-lost':
      return hostGone(state, event.host, stamp);
    case 'tasks-read':
      return {
        ...state,
        trackers: { ...state.trackers, [event.tracker]: { digest: event.digest, tasks: event.tasks } },
      };
    case 'task-reset':
      return resetTask(state, event.task, stamp);
    case 'task-claimed':
      return beginLoop(state, event, stamp);
    case 'loop-adopted':
      return changeLoop(state, event.loop, (loop) =>
        loop.host === null && isWorking(loop) ? adopted(loop, event, stamp) : loop,
      );
    case 'worktree-made':
      return changeOwned(state, event, (loop) => worktreeMade(loop, event, stamp));
    case 'worktree-lost':
      return changeLoop(state, event.loop, (loop) => worktreeLost(loop, stamp));
    case 'worktree-retired':
      return changeLoop(state, event.loop, (loop) => ({ ...loop, worktree: null, worktreeState: 'retired' }));
    case 'worktree-kept':
      return changeLoop(state, event.loop, (loop) => ({ ...loop, worktreeState: 'kept' }));
    case 'iteration-ended':
      return changeOwned(state, event, (loop, limits) => endIteration(loop, event, limits, stamp));
    case 'gates-ended':
      return endGates(state, event, stamp);
    case 'command-failed':
      // A claim and a landing written in one record share a fence, so only the loop tells them apart.
      if (event.loop === null) return applyLandingEvent(state, event, stamp);
      return changeLoop(state, event.loop, (loop) =>
        loop.fence === event.fence && isWorking(loop) ? park(loop, 'broken', event.message, stamp) : loop,
      );
    case 'landing-requested':
    case 'landing-started':
    case 'candidate-built':
    case 'candidate-conflicted':
    case 'candidate-contained':
    case 'candidate-tested':
    case 'integration-advanced':
    case 'integration-contested':
    case 'integration-moved':
    case 'target-moved':
    case 'published':
    case 'publish-blocked':
    case 'publish-diverged':
      return applyLandingEvent(state, event, stamp);
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
  change: (loop: Loop, limits: State['hosts'][HostId]['policy']['limits']) => Loop,
): State {
  return changeLoop(state, event.loop, (loop) => {
    const host = loop.host === null ? undefined : state.hosts[loop.host];
    return host == null || loop.fence !== event.fence ? loop : change(loop, host.policy.limits);
  });
}

function landsTask({ landing, loops }: State, task: TaskKey): boolean {
  if (landing === null) return false;
  const members = landing.stage.at === 'building' ? [] : landing.stage.candidate.members.map((member) => member.loop);
  return [landing.item, ...members].some((id) => id !== null && loops[id]?.task === task);
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
