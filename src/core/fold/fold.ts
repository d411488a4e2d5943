import type { Draft } from '../loops/draft.ts';
import { drafting } from '../loops/draft.ts';
import type { Event, Stamp } from '../model/events.ts';
import { resumeAccount } from '../loops/accounts.ts';
import { propose } from './loop-verbs.ts';
import { foundLoops } from './found-loops.ts';
import { applyHostEvent } from './hosts.ts';
import { keepsChanged } from '../model/keeps.ts';
import { applyLandingEvent, withoutCar } from './land.ts';
import { applyLoopEvent } from './loop-events.ts';
import type { TaskKey } from '../model/ids.ts';
import type { State } from '../model/model.ts';
import { beginDay } from '../model/project-limits.ts';
import { isWithdrawn } from '../loops/withdrawn.ts';

export interface Facts extends Stamp {
  readonly events: readonly Event[];
}

/** The state after one more record. A fact that no longer fits (a stranger's, a late one) changes nothing. */
export function fold(state: State, record: Facts): State {
  let next = state;
  for (const event of record.events) next = apply(next, event, record);
  // What is not the state it was given was made here.
  const made: Draft<State> = next === state ? { ...state } : next;
  made.seq = record.seq;
  return made;
}

/** The state after all these records, as `fold` makes it one by one, but without a copy of every table for each of them. */
export function foldAll(state: State, records: readonly Facts[], one: typeof fold = fold): State {
  return drafting(() => records.reduce((so, record) => one(so, record), state));
}

function apply(state: State, event: Event, stamp: Stamp): State {
  switch (event.type) {
    case 'host-joined':
    case 'host-draining':
    case 'host-ending':
    case 'host-left':
    case 'host-lost':
    case 'host-stopped':
    case 'host-woke':
      return applyHostEvent(state, event, stamp);
    case 'day-began':
      return beginDay(state, event.day, stamp.at);
    case 'disk-low':
    case 'disk-freed':
      return { ...state, disk: event.type === 'disk-freed' ? null : diskLow(event, stamp) };
    case 'tasks-read':
      return readTasks(state, event);
    case 'task-closed':
      return closeTask(state, event.task);
    case 'task-reset':
    case 'claim-lost':
    case 'task-claimed':
    case 'loop-adopted':
    case 'loop-released':
    case 'worktree-made':
    case 'worktree-lost':
    case 'worktree-retired':
    case 'worktree-kept':
    case 'iteration-ended':
    case 'gates-ended':
    case 'main-merged':
    case 'loop-progressed':
    case 'loop-blocked':
    case 'loop-done':
    case 'loop-steered':
    case 'loop-discarded':
    case 'loop-restored':
    case 'loop-stopped':
    case 'loop-resumed':
      return applyLoopEvent(state, event, stamp);
    case 'command-failed':
      // A claim and a landing written in one record share a fence, so only the loop tells them apart.
      if (event.loop === null) return applyLandingEvent(state, event, stamp);
      return applyLoopEvent(state, { ...event, loop: event.loop }, stamp);
    case 'loops-found':
      return foundLoops(state, event.loops, stamp);
    case 'account-resumed':
      return resumeAccount(state, event);
    case 'conflicts-foreseen':
      return { ...state, foreseen: event.found };
    case 'task-proposed':
      return { ...state, proposals: propose(state.proposals, event, stamp) };
    case 'keeps-changed':
      return { ...state, keeps: keepsChanged(state.keeps, event) };
    default:
      // All that is left is about landing; the compiler knows.
      return applyLandingEvent(state, event, stamp);
  }
}

function readTasks(state: State, event: Extract<Event, { type: 'tasks-read' }>): State {
  const { tracker, digest, tasks } = event;
  const upstream = event.upstream === undefined ? state.trackers[tracker]?.upstream : event.upstream;
  const read = upstream == null ? { digest, tasks } : { digest, tasks, upstream };
  return withoutWithdrawn({ ...state, trackers: { ...state.trackers, [tracker]: read } });
}

/** Landed already as far as the log knows; else it was somebody else who closed it, and the list tells. */
function closeTask(state: State, task: TaskKey): State {
  const landed = state.landed[task];
  return landed === undefined
    ? state
    : { ...state, landed: { ...state.landed, [task]: { ...landed, isClosed: true } } };
}

/** A task that was taken out does not ride on, unless integration moves past its work right now. */
function withoutWithdrawn(state: State): State {
  const aboard = state.landing?.cars.flatMap(({ loop }) => (loop === null ? [] : (state.loops[loop] ?? []))) ?? [];
  const gone = aboard.filter((loop) => isWithdrawn(state, loop));
  return { ...state, landing: gone.reduce((landing, { id }) => withoutCar(landing, id), state.landing) };
}

const diskLow = ({ freeMb, floorMb }: Extract<Event, { type: 'disk-low' }>, { at }: Stamp): State['disk'] => ({
  freeMb,
  floorMb,
  since: at,
});
