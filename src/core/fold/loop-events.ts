import { unreachable } from '../model/assert.ts';
import { withLoop, withEntry } from '../loops/draft.ts';
import { withoutCar } from './land.ts';
import { adopted, beginLoop, endIteration, endWaiting, park, worktreeLost, worktreeMade } from '../loops/loop.ts';
import { isLive, isWorking, loopsOf, PROPOSALS_MAX } from '../model/model.ts';
import { endGates } from '../loops/end-gates.ts';
import { onNewest } from '../loops/waiting.ts';
import { parkStranded, mainMerged } from '../loops/rework.ts';
import { review } from './review.ts';
import { lastWord, released, resumeLoop, stopLoop } from './stop-loop.ts';
import type { PullEvent } from '../model/pull-event.ts';
import { takeOver } from '../loops/take-over.ts';
import { taskIdOf, trackerOf } from '../model/tasks.ts';
import type { Event, Stamp } from '../model/events.ts';
import type { LoopId, TaskKey } from '../model/ids.ts';
import type { Host, Loop, State, Proposal } from '../model/model.ts';

type Named = Extract<Event, { readonly loop: LoopId }> | Extract<Event, { type: 'task-reset' }>;
type LoopEvent =
  | Exclude<
      Named,
      { type: 'task-proposed' | 'loop-sent-back' | 'loop-bumped' | 'loop-ejected' | 'revert-made' } | PullEvent
    >
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
    case 'claim-lost':
      return loseClaim(state, event, stamp);
    case 'task-claimed':
      return alone(state, beginLoop(state, event, stamp), event.loop, stamp);
    case 'loop-adopted': {
      const next = changeLoop(state, event.loop, (loop) =>
        loop.host === null && (isWorking(loop) || mayBeginAgain(loop)) ? adopted(state, loop, event, stamp) : loop,
      );
      return alone(state, next, event.loop, stamp);
    }
    case 'worktree-made':
      return changeOwned(state, event, (loop, host) =>
        onNewest(state, worktreeMade(loop, event, host.policy.limits, stamp)),
      );
    case 'worktree-lost':
      return changeLoop(state, event.loop, (loop) => worktreeLost(loop, stamp));
    case 'worktree-retired':
      return changeLoop(state, event.loop, (loop) => ({ ...loop, worktree: null, worktreeState: 'retired' }));
    case 'worktree-kept':
      return changeLoop(state, event.loop, (loop) => ({ ...loop, worktreeState: 'kept' }));
    case 'iteration-ended':
      return lastWord(state, event, stamp) ?? endIteration(state, event, stamp);
    case 'gates-ended':
      return endGates(state, event, stamp);
    case 'main-merged': {
      const loop = state.loops[event.loop];
      return loop == null || loop.host === null || loop.fence !== event.fence
        ? state
        : mainMerged(state, loop, event, stamp);
    }
    case 'loop-released':
      return changeOwned(state, event, (loop) => released(loop, event.why, stamp));
    case 'loop-waited':
      return changeLoop(state, event.loop, (loop) => endWaiting(state, loop, stamp));
    case 'loop-progressed':
    case 'loop-blocked':
    case 'loop-lacks':
    case 'loop-done':
    case 'loop-steered':
      return changeLoop(state, event.loop, (loop) => hear(loop, event, stamp));
    case 'loop-reviewed':
      return review(state, event, stamp);
    case 'loop-discarded':
      return discard(state, event, stamp);
    case 'loop-stopped':
      return changeLoop(state, event.loop, (loop) => stopLoop(loop, event.now, stamp));
    case 'loop-resumed':
      return changeLoop(state, event.loop, (loop) => resumeLoop(state, loop, stamp));
    case 'loop-restored':
      return changeLoop(state, event.loop, (loop) => restored(loop, event.path, stamp));
    case 'command-failed':
      return changeLoop(state, event.loop, (loop) =>
        loop.fence === event.fence && isWorking(loop) ? park(loop, 'broken', event.message, stamp) : loop,
      );
    default:
      return unreachable(event);
  }
}

/** Taken back after it was thrown away: for a person to look at. */
function restored(loop: Loop, path: string | null, stamp: Stamp): Loop {
  if (loop.phase.at !== 'parked' || loop.phase.reason !== 'discarded') return loop;
  const { pull } = loop;
  // Its pull request was closed with it, and is wanted again as well.
  if (pull !== undefined && pull.number !== null && wasGreen(loop)) {
    const reviewing = { ...loop, host: null, phase: { at: 'reviewing' }, since: stamp.at } as const;
    const place = { worktree: path, worktreeState: path === null ? 'none' : 'kept' } as const;
    return { ...reviewing, ...place, pull: { ...pull, stuck: null, isReopening: true } };
  }
  const reason = wasGreen(loop) ? 'ejected' : 'stopped';
  const back = park(loop, reason, 'a person undid its discard', stamp);
  return { ...back, worktree: path, worktreeState: path === null ? 'none' : 'kept' };
}

/** Somebody begins to work on it: whoever had its branch before has it no more. */
function alone(before: State, state: State, id: LoopId, stamp: Stamp): State {
  const loop = state.loops[id];
  return loop === undefined || state === before ? state : takeOver(state, loop, stamp);
}

/** What was thrown away at work is not done: it can go on, and nobody is led to land it. */
const wasGreen = ({ lastGate }: Loop): boolean => lastGate?.verdict === 'green';

/** Waits, or was put aside because nothing changed: a host tries it once more. */
const mayBeginAgain = ({ phase }: Loop): boolean =>
  phase.at === 'waiting' || (phase.at === 'parked' && phase.reason === 'no-progress');

function changeLoop(state: State, id: Loop['id'], change: (loop: Loop) => Loop): State {
  const loop = state.loops[id];
  if (loop == null) return state;
  const changed = change(loop);
  return changed === loop ? state : withLoop(state, changed);
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

/** Thrown away, it does not ride in a train either. What landed is not a loop's to throw away. */
function discard(state: State, event: Extract<LoopEvent, { type: 'loop-discarded' }>, stamp: Stamp): State {
  const loop = state.loops[event.loop];
  if (loop == null || loop.phase.at === 'landed') return state;
  const detail = event.kept === null ? 'a person discarded it' : `a person discarded it; kept as ${event.kept}`;
  const discarded: Loop = { ...park(loop, 'discarded', detail, stamp), worktree: null, worktreeState: 'none' };
  return { ...withLoop(state, discarded), landing: withoutCar(state.landing, loop.id) };
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

/**
 * Its work stays on its branch and lands no more. That it was not first is no attempt at the task; what another has is not begun
 * again before the tracker was read anew.
 */
function loseClaim(state: State, event: Extract<Event, { type: 'claim-lost' }>, stamp: Stamp): State {
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

type Said = Extract<Event, { type: 'loop-progressed' | 'loop-blocked' | 'loop-lacks' | 'loop-done' | 'loop-steered' }>;

/** What an agent says of itself by a verb, or a person says to it. Words of an iteration that is over change nothing. */
function hear(loop: Loop, event: Said, stamp: Stamp): Loop {
  if (!isWorking(loop) && loop.phase.at !== 'waiting') return loop;
  if (event.type === 'loop-steered')
    return { ...loop, guidance: [...loop.guidance, { id: stamp.seq, text: event.text }] };
  if (loop.phase.at !== 'iterating' || loop.phase.n !== event.n) return loop;
  switch (event.type) {
    case 'loop-progressed':
      return { ...loop, progress: event.text };
    case 'loop-blocked':
      return { ...loop, blockedWhy: event.why };
    case 'loop-lacks':
      return { ...loop, lacks: { n: event.n, tasks: event.tasks } };
    case 'loop-done':
      return { ...loop, doneSaid: event.n, progress: event.summary === '' ? loop.progress : event.summary };
  }
}

export function propose(
  proposals: readonly Proposal[],
  { loop, title, body }: Extract<Event, { type: 'task-proposed' }>,
  stamp: Stamp,
): readonly Proposal[] {
  return [...proposals, { loop, title, body, at: stamp.at }].slice(-PROPOSALS_MAX);
}
