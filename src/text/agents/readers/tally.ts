import type { AgentEvent } from '../agent-event.ts';

export interface Tokens {
  /** What came from a cache included. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

export const isNothing = ({ input, cached, output }: Tokens): boolean => input + cached + output === 0;

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;

export function usage(parts: Partial<Omit<UsageEvent, 'type'>>): AgentEvent {
  return { type: 'usage', tokens: null, cost: null, turns: 0, ...parts };
}

/** One more answer of the model, of which nothing else is known. */
export const ANSWERED: AgentEvent = usage({ turns: 1 });

/** Clients that do not know a price say zero: that is no cost, but no word about it. */
export function costOf(usd: number | null, scope: 'add' | 'total'): UsageEvent['cost'] {
  return usd !== null && usd > 0 ? { scope, usd } : null;
}

/** Counts tokens told answer by answer, so that a sum told at the end adds only what they lacked. */
export interface Tally {
  readonly add: (tokens: Tokens) => void;
  /** What the sum holds beyond what was counted since the last one; null: nothing. */
  readonly settle: (sum: Tokens) => Tokens | null;
}

export function createTally(): Tally {
  let counted: Tokens = { input: 0, cached: 0, output: 0 };
  return {
    add(tokens) {
      counted = {
        input: counted.input + tokens.input,
        cached: counted.cached + tokens.cached,
        output: counted.output + tokens.output,
      };
    },
    settle(sum) {
      const rest = {
        input: Math.max(0, sum.input - counted.input),
        cached: Math.max(0, sum.cached - counted.cached),
        output: Math.max(0, sum.output - counted.output),
      };
      counted = { input: 0, cached: 0, output: 0 };
      return isNothing(rest) ? null : rest;
    },
  };
}
