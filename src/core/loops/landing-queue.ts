import { openLoops } from './draft.ts';
import type { HostId, LoopId } from '../model/ids.ts';
import type { Loop, State } from '../model/model.ts';
import { isWorking } from '../model/model.ts';
import { findTask } from '../model/tasks.ts';
import { isWithdrawn } from './withdrawn.ts';

/** Ready loops waiting to land: those a person wants first, then by the task's priority, then first come first. */
export function landingQueue(state: State): readonly Loop[] {
  return openLoops(state)
    .flatMap((loop) =>
      loop.phase.at === 'ready' && loop.phase.queued && !isWithdrawn(state, loop)
        ? [{ loop, seq: loop.phase.readySeq, rank: findTask(state, loop.task)?.priority ?? Number.MAX_SAFE_INTEGER }]
        : [],
    )
    .sort(
      (a, b) => b.loop.bumped - a.loop.bumped || a.rank - b.rank || a.seq - b.seq || (a.loop.id < b.loop.id ? -1 : 1),
    )
    .map(({ loop }) => loop);
}

/**
 * Who may ride on the next train, in this order. What was built on an unlanded branch comes right behind it, and only with
 * it. What is known not to merge with integration as it is stays where it is.
 */
export function boarding(state: State, limit: number): readonly LoopId[] {
  const waiting = landingQueue(state).filter((loop) => loop.clash?.base !== state.integration);
  const aboard = new Set<LoopId>();
  const board = (loop: Loop): void => {
    if (aboard.size >= limit || aboard.has(loop.id)) return;
    if (!loop.onto.every((id) => aboard.has(id) || state.loops[id]?.phase.at === 'landed')) return;
    aboard.add(loop.id);
    for (const next of waiting) if (next.onto.includes(loop.id)) board(next);
  };
  for (const loop of waiting) board(loop);
  return [...aboard];
}

/** Whether a loop holds another one's work, as far as that is known, or the work of one that does. */
export function buildsOn(state: State, loop: Loop, id: LoopId, seen: Set<LoopId> = new Set()): boolean {
  if (seen.has(loop.id)) return false;
  seen.add(loop.id);
  return loop.onto.some((one) => {
    const below = state.loops[one];
    return one === id || (below !== undefined && buildsOn(state, below, id, seen));
  });
}

/** A train may be built now: somebody would ride on it, or the user's own commits have to be merged in. */
export function canLand(state: State): boolean {
  if (state.landing !== null || state.suspect !== null || state.landingTrouble !== null || state.queuePaused)
    return false;
  return state.publishing.diverged || boarding(state, 1).length > 0;
}

/** How long a ready loop lets others catch up. */
export const LANDING_WAIT_MS = 300;

/** Loops started together end together: landing them together costs one test, and those that begin now come first. Never for long. */
export function isWorthWaiting(state: State, me: HostId, nowMs: number): boolean {
  const [first] = boarding(state, 1);
  const loop = first === undefined ? undefined : state.loops[first];
  if (loop === undefined || Math.abs(nowMs - loop.since) >= LANDING_WAIT_MS) return false;
  return openLoops(state).some((other) => other.host === me && isWorking(other));
}

/** Its own gates were green once; only the landing did not work out. */
export function canBeQueued(loop: Loop): boolean {
  if (loop.phase.at === 'ready') return !loop.phase.queued;
  if (loop.phase.at !== 'parked') return false;
  const { reason } = loop.phase;
  return (
    reason === 'conflict' ||
    reason === 'red' ||
    reason === 'base-parked' ||
    reason === 'protected' ||
    reason === 'too-large' ||
    reason === 'ejected' ||
    reason === 'duplicate' ||
    (reason === 'broken' && loop.lastGate?.verdict === 'green')
  );
}
