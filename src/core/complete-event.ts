import type { Event } from './events.ts';
import type { HostPolicy, State } from './model.ts';
import { EMPTY_STATE, UNTOLD } from './model.ts';
import { NO_USAGE } from './usage.ts';

/** A policy as logs from before agents had accounts and budgets hold it. */
interface EarlyPolicy {
  readonly agent?: string;
}

const NO_BUDGET = { maxCostUsd: null, maxTokens: null };
const EARLY_LIMITS = { ...NO_BUDGET, logMb: 64, outputMb: 2048, freeMb: 0 };

/** Events that were written once and say nothing any more. */
const RETIRED: ReadonlySet<string> = new Set(['candidate-built', 'candidate-conflicted', 'candidate-contained']);

export const isRetired = (event: Event): boolean => RETIRED.has(event.type);

/** An event with what older logs do not hold filled in: events are for ever, and their fields have become more. */
export function completeEvent(event: Event): Event {
  switch (event.type) {
    case 'host-joined':
      return { ...event, policy: completePolicy(event.policy) };
    case 'iteration-ended':
      // The newest field is there, so all are: a long log is read by the thousand.
      return 'breach' in event ? event : { ...EARLY_ITERATION, ...(event as Event & { type: 'iteration-ended' }) };
    case 'gates-ended':
      return { ...EARLY_GATES, ...event, tested: event.tested ?? event.tree };
    default:
      return event;
  }
}

const EARLY_GATES = { protected: [], changed: [] };
const EARLY_ITERATION = {
  agent: 'unknown',
  account: 'unknown',
  usage: NO_USAGE,
  failure: null,
  hold: null,
  guided: 0,
  breach: null,
};

const EARLY_TRAIN: Pick<HostPolicy, 'resolver' | 'gateTimeoutAuto' | 'train' | 'place' | 'only' | 'base'> = {
  base: 'off',
  only: null,
  place: { at: 'worktree' },
  resolver: null,
  gateTimeoutAuto: false,
  train: {
    batchMax: 'auto',
    gateSlots: 1,
    cores: 1,
    flakeRetries: 'auto',
    strictEveryCommit: false,
    onConflict: 'stop',
    maxAttempts: 0,
  },
};

function completePolicy(policy: HostPolicy & EarlyPolicy): HostPolicy {
  const { agent = 'unknown' } = policy;
  const early = { agents: [{ name: agent, account: agent }], budget: NO_BUDGET, ...EARLY_TRAIN };
  return { ...early, ...policy, limits: { ...EARLY_LIMITS, ...policy.limits } };
}

/** The same for a state that an older version folded and kept. */
export function completeState(state: State): State {
  const each = <T>(some: Readonly<Record<string, T>>, complete: (one: T) => T): Record<string, T> =>
    Object.fromEntries(Object.entries(some).map(([name, one]) => [name, complete(one)]));
  return {
    ...EMPTY_STATE,
    ...state,
    // The landing of an older version began without cars: it is begun again.
    landing: state.landing?.cars === undefined ? null : state.landing,
    loops: each(state.loops, (loop) => ({ ...UNTOLD, ...loop })),
    hosts: each(state.hosts, (host) => ({ ...host, policy: completePolicy(host.policy) })),
  };
}
