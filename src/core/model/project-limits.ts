import { describeMs } from './describe-time.ts';
import type { Loop, ParkReason, State } from './model.ts';
import { loopsOf } from './model.ts';
import type { Budget } from './usage.ts';
import { NO_USAGE, tokensOf, type Usage } from './usage.ts';

/** What all loops of the repository together may use, whichever run they are of; null: no bound. */
export interface ProjectLimits extends Budget {
  readonly iterations: number | null;
  readonly runtimeMs: number | null;
  /** Loops parked in a row. */
  readonly consecutiveFailures: number | null;
  readonly per: 'day' | 'total';
}

export const NO_PROJECT_LIMITS: ProjectLimits = {
  maxCostUsd: null,
  maxTokens: null,
  iterations: null,
  runtimeMs: null,
  consecutiveFailures: null,
  per: 'day',
};

/** What loops have used. */
export interface Used {
  readonly costUsd: number;
  readonly tokens: number;
  readonly iterations: number;
  readonly runtimeMs: number;
}

/** A day of a person's calendar, as a host told it, and what had been used before it. */
export interface Day {
  readonly name: string;
  readonly since: number;
  readonly before: Used;
}

export interface ProjectUse extends Used {
  readonly parkedInRow: number;
}

/** A limit that is reached, in words, and the command that raises it. */
export interface Reached {
  readonly key: string;
  readonly spent: string;
  readonly next: string;
}

const LONGEST_MS = 500 * 3_600_000;
const SHORTEST_MS = 1000;

export function beginDay(state: State, name: string, at: number): State {
  return state.day?.name === name ? state : { ...state, day: { name, since: at, before: usedInAll(state) } };
}

interface Bound {
  readonly key: string;
  readonly used: number;
  readonly max: number | null;
  /** Used and allowed, as people read it. */
  readonly shown: (n: number) => string;
  readonly noun: string;
}

function boundsOf(used: ProjectUse, limits: ProjectLimits): readonly Bound[] {
  const { costUsd, tokens, iterations, runtimeMs, parkedInRow } = used;
  const dollars = (n: number): string => `$${n.toFixed(2)}`;
  return [
    { key: 'max_cost', used: costUsd, max: limits.maxCostUsd, shown: dollars, noun: '' },
    { key: 'max_tokens', used: tokens, max: limits.maxTokens, shown: String, noun: ' tokens' },
    { key: 'iterations', used: iterations, max: limits.iterations, shown: String, noun: ' iterations' },
    { key: 'runtime', used: runtimeMs, max: limits.runtimeMs, shown: describeMs, noun: ' of work' },
    {
      key: 'consecutive_failures',
      used: parkedInRow,
      max: limits.consecutiveFailures,
      shown: String,
      noun: ' loops parked in a row',
    },
  ];
}

/** The first limit that is reached; null: loops may go on. */
export function reachedLimit(state: State, limits: ProjectLimits = NO_PROJECT_LIMITS): Reached | null {
  // Most projects have none, and this is asked often.
  const { per, ...maxima } = limits;
  if (Object.values(maxima).every((max) => max === null)) return null;
  const when = per === 'day' ? 'today' : 'in total';
  for (const { key, used, max, shown, noun } of boundsOf(projectUse(state, per), limits)) {
    if (max === null || used < max) continue;
    const raised = key === 'runtime' ? asDuration(enough(used, max)) : plain(enough(used, max));
    return {
      key: `project.${key}`,
      spent: `${shown(used)} of ${shown(max)}${noun} ${when}`,
      next: `ralph config set project.${key} ${raised}`,
    };
  }
  return null;
}

/** Twice the limit, or more where that is used up too. */
const enough = (used: number, max: number): number => Math.max(2 * max > used ? 2 * max : 2 * used, 1);
const plain = (n: number): string => String(Math.ceil(n * 100) / 100);
const asDuration = (ms: number): string => describeMs(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ms)));

export function projectUse(state: State, per: ProjectLimits['per']): ProjectUse {
  const all = usedInAll(state);
  if (per === 'total') return { ...all, parkedInRow: parkedInRow(state, Number.NEGATIVE_INFINITY) };
  const before = state.day?.before;
  const since = (key: keyof Used): number => Math.max(0, all[key] - (before?.[key] ?? 0));
  return {
    costUsd: since('costUsd'),
    tokens: since('tokens'),
    iterations: since('iterations'),
    runtimeMs: since('runtimeMs'),
    parkedInRow: parkedInRow(state, state.day?.since ?? Number.NEGATIVE_INFINITY),
  };
}

/** As the budget of an agent's run looks at it. */
export const asUsage = ({ costUsd }: Used): Usage => ({ ...NO_USAGE, costUsd });

/** The sum over every loop that the log knows: nothing is counted twice, and no restart forgets it. */
function usedInAll(state: State): Used {
  let [costUsd, tokens, iterations, runtimeMs] = [0, 0, 0, 0];
  for (const { usage, counted, usedMs } of loopsOf(state)) {
    costUsd += usage.costUsd ?? 0;
    tokens += tokensOf(usage);
    iterations += counted;
    runtimeMs += usedMs;
  }
  return { costUsd, tokens, iterations, runtimeMs };
}

/** What a person did to a loop, and what only waits for them, says nothing about how the work goes. */
const FAILED: ReadonlySet<ParkReason> = new Set([
  'iterations',
  'runtime',
  'no-progress',
  'failures',
  'conflict',
  'red',
  'broken',
  'budget',
  'blocked',
  'tampered',
]);

const isDone = ({ phase }: Loop): boolean => phase.at === 'ready' || phase.at === 'landed';

/** Loops parked since the last one that was done. Who frees the task of one has looked at it. */
function parkedInRow(state: State, sinceMs: number): number {
  const isFailed = ({ phase, task }: Loop): boolean =>
    phase.at === 'parked' && FAILED.has(phase.reason) && state.attempts[task] !== undefined;
  const over = loopsOf(state)
    .filter((loop) => loop.since >= sinceMs && (isDone(loop) || isFailed(loop)))
    .sort((a, b) => b.since - a.since);
  const row = over.findIndex(isDone);
  return row < 0 ? over.length : row;
}
