import type { Pace, State, TrainPolicy } from '../model/model.ts';

const RUNS_MAX = 40;
/** Fewer say nothing. */
const RUNS_MIN = 2;
/** Two gates that slow each other more than this are better run one after the other. */
const SLOWED_MAX = 1.6;
const SLOTS_AUTO_MAX = 4;
/** A gate may take three times what the slowest ones took, and never less than this. */
const TIMEOUT_FACTOR = 3;
const TIMEOUT_MIN_MS = 60_000;

export function sawRun({ aloneMs, besideMs }: Pace, durationMs: number, beside: boolean): Pace {
  const add = (some: readonly number[]): readonly number[] => [...some, durationMs].slice(-RUNS_MAX);
  return beside ? { aloneMs, besideMs: add(besideMs) } : { aloneMs: add(aloneMs), besideMs };
}

/** How many gate runs of a train may be under way. Measured: as soon as two are seen to slow each other, one. */
export function slotsOf(pace: Pace, { gateSlots, cores }: TrainPolicy): number {
  if (gateSlots !== 'auto') return gateSlots;
  const room = Math.min(SLOTS_AUTO_MAX, Math.max(2, Math.floor(cores / 2)));
  const { aloneMs, besideMs } = pace;
  if (aloneMs.length < RUNS_MIN || besideMs.length < RUNS_MIN) return room;
  return middle(besideMs) > SLOWED_MAX * middle(aloneMs) ? 1 : room;
}

/** What a gate run usually takes; null: none was seen. */
export function usualMs({ aloneMs, besideMs }: Pace): number | null {
  const all = [...aloneMs, ...besideMs];
  return all.length === 0 ? null : middle(all);
}

/** How long a gate may take, from how long it took; null: nothing is known yet. */
export function timeoutFrom({ aloneMs, besideMs }: State['pace']): number | null {
  const all = [...aloneMs, ...besideMs].toSorted((a, b) => a - b);
  const slow = all[Math.min(all.length - 1, Math.floor(all.length * 0.95))];
  return slow === undefined || all.length < RUNS_MIN ? null : Math.max(TIMEOUT_MIN_MS, slow * TIMEOUT_FACTOR);
}

function middle(some: readonly number[]): number {
  const sorted = some.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
