import { noteAccount } from '../loops/accounts.ts';
import { unreachable } from '../model/assert.ts';
import { withLoop } from '../loops/draft.ts';
import type { Event, Stamp } from '../model/events.ts';
import { grantAnew } from '../model/grants.ts';
import { isTakenByAnother } from './land.ts';
import { counted, describeBreach, isFailure, park, parkStopped } from '../loops/loop.ts';
import type { Loop, ParkReason, Phase, State } from '../model/model.ts';
import { isWorking } from '../model/model.ts';
import { sendBack } from '../loops/rework.ts';
import { noteSpending } from '../loops/run.ts';
import { addUsage } from '../model/usage.ts';
import { tryAgain } from '../loops/waiting.ts';
import { wantedBy } from '../loops/withdrawn.ts';

/**
 * A person stops a loop. An agent at work may end its iteration first, if there is a host that sees it end; everything else
 * is put aside at once, and the host stops what is no longer wished. Nothing it did is taken away.
 */
export function stopLoop(loop: Loop, now: boolean, stamp: Stamp): Loop {
  if (loop.phase.at === 'waiting') return parkStopped(loop, stamp);
  if (!isWorking(loop)) return loop;
  return now || loop.host === null || loop.phase.at !== 'iterating'
    ? parkStopped(loop, stamp)
    : { ...loop, stopping: true };
}

type Why = Extract<Event, { type: 'loop-released' }>['why'];

/** Given back by its host. One that was to stop before its agent began is stopped, unless the person thought better of it. */
export function released(loop: Loop, why: Why, stamp: Stamp): Loop {
  if (why !== 'stopped') return { ...loop, host: null, waitsFor: why === 'time' ? null : why, since: stamp.at };
  return loop.stopping ? parkStopped(loop, stamp) : loop;
}

/** What an agent that was stopped at once had cost, left and done elsewhere is told when it is gone. Null: it is not that. */
export function lastWord(state: State, event: Extract<Event, { type: 'iteration-ended' }>, stamp: Stamp): State | null {
  const loop = state.loops[event.loop];
  if (loop?.phase.at !== 'parked' || loop.phase.reason !== 'stopped') return null;
  if (loop.fence !== event.fence || event.n !== loop.iteration + 1) return null;
  const host = Object.values(state.hosts).find(({ id }) => id === stamp.by);
  const noted = noteAccount(state, event, stamp);
  const run = { ...noted.run, usage: addUsage(noted.run.usage, event.usage) };
  const spent = host === undefined ? { ...noted, run } : noteSpending(noted, event.usage, host.policy.budget);
  const isDone = event.outcome === 'claimed';
  const heard = counted(loop, event, isFailure(event.outcome), stamp);
  const told = isDone ? { ...heard, doneSaid: event.n } : heard;
  const after = event.breach === null ? told : park(told, 'tampered', describeBreach(event.breach), stamp);
  return withLoop(spent, after);
}

/** Why a loop cannot go on. */
export type NotResumed =
  | 'working'
  | 'ready'
  | 'landed'
  /** The task has landed, or another loop works on it. */
  | 'taken'
  /** Its work is done; what remains is to land it. */
  | 'done'
  | 'tampered'
  | 'discarded'
  | 'reset';

export function whyNotResumed(state: State, loop: Loop): NotResumed | null {
  const { phase } = loop;
  if (phase.at === 'ready' || phase.at === 'landed') return phase.at;
  // A person may know that what it waits for is there.
  if (phase.at === 'waiting') return null;
  if (phase.at !== 'parked') return loop.stopping ? null : 'working';
  return forbidding(phase.reason) ?? (isTakenByAnother(state, loop) ? 'taken' : null);
}

function forbidding(reason: ParkReason): NotResumed | null {
  switch (reason) {
    case 'stopped':
    case 'iterations':
    case 'runtime':
    case 'no-progress':
    case 'failures':
    case 'budget':
    case 'blocked':
    case 'broken':
    // Its agent mends what did not fit.
    case 'conflict':
    case 'red':
    // Taken back after it was thrown away, it may not have been done.
    case 'ejected':
    // Who took its place may have come to nothing.
    case 'replaced':
    // It goes on where its pull request cannot.
    case 'pull-request':
      return null;
    case 'base-parked':
    case 'protected':
    case 'too-large':
    case 'duplicate':
      return 'done';
    case 'tampered':
    case 'discarded':
    case 'reset':
      return reason;
    default:
      return unreachable(reason);
  }
}

/** A person lets it go on, held by nobody: whoever has a free slot takes it up. What limits it begins anew, unless only a person stopped it. */
export function resumeLoop(state: State, loop: Loop, stamp: Stamp): Loop {
  if (whyNotResumed(state, loop) !== null) return loop;
  const { phase } = loop;
  if (phase.at === 'waiting') return tryAgain(state, loop, stamp);
  if (phase.at !== 'parked') return { ...loop, stopping: false };
  const { reason } = phase;
  const didNotFit = reason === 'conflict' || reason === 'red';
  // Mending begins with a merge of main, and a person's checkout is not ours to merge into.
  const back = didNotFit && loop.place.at === 'worktree' ? backToMend(loop, phase, reason, stamp) : loop;
  return {
    ...back,
    host: null,
    ...nextPhase(loop, reason),
    ...wantedBy(state, loop),
    since: stamp.at,
    waitsFor: null,
    hostDied: false,
    idleStreak: 0,
    failureStreak: 0,
    granted: reason === 'stopped' ? loop.granted : grantAnew(loop),
  };
}

type Parked = Extract<Phase, { at: 'parked' }>;

function backToMend(loop: Loop, { detail, paths }: Parked, kind: 'conflict' | 'red', stamp: Stamp): Loop {
  return sendBack(loop, { kind, by: 'owner', with: loop.clash?.with ?? [], paths, detail }, stamp);
}

/** Where nothing but the gates was left, they are asked; else a worktree is made, or the old one found. */
function nextPhase(loop: Loop, reason: ParkReason): Pick<Loop, 'phase' | 'worktree' | 'worktreeState'> {
  const wasDone = loop.iteration > 0 && loop.doneSaid === loop.iteration && loop.tree !== loop.baseTree;
  const isUndisturbed = reason === 'stopped' || reason === 'broken';
  const { worktree, worktreeState } = loop;
  return wasDone && isUndisturbed && worktree !== null
    ? { phase: { at: 'gating', n: loop.iteration }, worktree, worktreeState }
    : { phase: { at: 'preparing' }, worktree: null, worktreeState: 'none' };
}
