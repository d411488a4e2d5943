import type { Failure } from '../../core/model/failure.ts';
import type { Usage } from '../../core/model/usage.ts';

/** What one run of an agent told, all its events together. */
export interface Report {
  readonly session: string | null;
  /** What it said last, never the prompt; empty: nothing. */
  readonly finalText: string;
  /** It said that the run came to its own end; null: its protocol has no such word. */
  readonly isTerminal: boolean | null;
  readonly failure: Failure | null;
  readonly limit: {
    readonly status: 'warning' | 'reached';
    readonly resetsAtMs: number | null;
    readonly detail: string;
  } | null;
  /** Tools that were not allowed to run. */
  readonly denials: number;
  readonly usage: Usage;
}

/** How the process of one iteration ended, as we saw it. */
export type IterationEnd =
  | { readonly how: 'exited'; readonly code: number }
  | { readonly how: 'lost' }
  | { readonly how: 'timed-out' }
  | { readonly how: 'interrupted' }
  /** Stopped by us: silent for too long, printed too much, or went on for too many turns. */
  | { readonly how: 'stopped'; readonly why: 'stalled' | 'flood' | 'turns'; readonly detail: string };
