import type { Usage } from './usage.ts';
import { tokensOf } from './usage.ts';

/** What a loop had used when a person let it go on in spite of a limit. */
export interface Granted {
  readonly counted: number;
  readonly usedMs: number;
  readonly costUsd: number;
  readonly tokens: number;
}

export const NOTHING_GRANTED: Granted = { counted: 0, usedMs: 0, costUsd: 0, tokens: 0 };

interface Used {
  readonly counted: number;
  readonly usedMs: number;
  readonly usage: Usage;
  readonly granted: Granted;
}

/** All that it has used is forgiven: every limit begins anew, once. The sums themselves go on. */
export const grantAnew = ({ counted, usedMs, usage }: Used): Granted => ({
  counted,
  usedMs,
  costUsd: usage.costUsd ?? 0,
  tokens: tokensOf(usage),
});

/** What its limits look at. */
export const usedSince = ({ usage, granted }: Used): Usage => ({
  ...usage,
  costUsd: usage.costUsd === null ? null : Math.max(0, usage.costUsd - granted.costUsd),
  inputTokens: Math.max(0, tokensOf(usage) - granted.tokens),
  outputTokens: 0,
});
