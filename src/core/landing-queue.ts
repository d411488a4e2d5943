import type { HostId, LoopId } from './ids.ts';
import type { Loop, State } from './model.ts';
import { isWorking, loopsOf } from './model.ts';

/** Ready loops waiting to land, first come first. */
export function landingQueue(state: State): readonly Loop[] {
  return loopsOf(state)
    .flatMap((loop) => (loop.phase.at === 'ready' && loop.phase.queued ? [{ loop, seq: loop.phase.readySeq }] : []))
    .sort((a, b) => a.seq - b.seq || (a.loop.id < b.loop.id ? -1 : 1))
    .map(({ loop }) => loop);
}

/** The item to land next: a loop built on an unlanded branch waits for that one. Undefined: nothing can land now. */
export function nextToLand(state: State): LoopId | null | undefined {
  if (state.landing !== null || state.landingTrouble !== null) return undefined;
  if (state.publishing.diverged) return null;
  return landingQueue(state).find((loop) => loop.onto.every((id) => state.loops[id]?.phase.at === 'landed'))?.id;
}

/** How long a ready loop lets others catch up. */
export const LANDING_WAIT_MS = 300;

/** Loops started together end together: landing them together costs one test, and those that begin now come first. Never for long. */
export function isWorthWaiting(state: State, me: HostId, item: LoopId | null, nowMs: number): boolean {
  const loop = item === null ? undefined : state.loops[item];
  if (loop === undefined || Math.abs(nowMs - loop.since) >= LANDING_WAIT_MS) return false;
  return loopsOf(state).some((other) => other.host === me && isWorking(other));
}

/** Who may land in one candidate with the item: those behind it in the queue whose bases have landed or come before them. */
export function followersOf(state: State, item: LoopId, width: number): readonly LoopId[] {
  const taken = new Set<LoopId>([item]);
  for (const loop of landingQueue(state)) {
    if (taken.size >= width) break;
    if (loop.onto.every((id) => taken.has(id) || state.loops[id]?.phase.at === 'landed')) taken.add(loop.id);
  }
  taken.delete(item);
  return [...taken];
}

/** Its own gates were green once; only the landing did not work out. */
export function canBeQueued(loop: Loop): boolean {
  if (loop.phase.at === 'ready') return !loop.phase.queued;
  if (loop.phase.at !== 'parked') return false;
  const { reason } = loop.phase;
  return (
    reason === 'conflict' ||
    reason === 'red' ||
    reason === 'main-red' ||
    reason === 'base-parked' ||
    reason === 'protected' ||
    (reason === 'broken' && loop.lastGate?.verdict === 'green')
  );
}
