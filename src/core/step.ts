import type { Command } from './commands.ts';
import { completeEvent, isRetired } from './complete-event.ts';
import type { Draft } from './draft.ts';
import { drafting } from './draft.ts';
import type { Event, Stamp } from './events.ts';
import { resumeAccount } from './accounts.ts';
import { propose } from './hear.ts';
import { foundLoops } from './found-loops.ts';
import { applyHostEvent } from './hosts.ts';
import type { HostId } from './ids.ts';
import { applyLandingEvent } from './land.ts';
import { applyLoopEvent } from './loop-events.ts';
import type { State } from './model.ts';
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
  for (const event of record.events) if (!isRetired(event)) next = apply(next, completeEvent(event), record);
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
    case 'host-left':
    case 'host-lost':
    case 'host-stopped':
    case 'host-woke':
      return applyHostEvent(state, event, stamp);
    case 'disk-low':
    case 'disk-freed':
      return { ...state, disk: event.type === 'disk-freed' ? null : diskLow(event, stamp) };
    case 'tasks-read':
      return readTasks(state, event);
    case 'task-reset':
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
    default:
      // All that is left is about landing; the compiler knows.
      return applyLandingEvent(state, event, stamp);
  }
}

function readTasks(state: State, event: Extract<Event, { type: 'tasks-read' }>): State {
  const { tracker, digest, tasks } = event;
  const upstream = event.upstream === undefined ? state.trackers[tracker]?.upstream : event.upstream;
  const read = upstream == null ? { digest, tasks } : { digest, tasks, upstream };
  return { ...state, trackers: { ...state.trackers, [tracker]: read } };
}

const diskLow = ({ freeMb, floorMb }: Extract<Event, { type: 'disk-low' }>, { at }: Stamp): State['disk'] => ({
  freeMb,
  floorMb,
  since: at,
});
