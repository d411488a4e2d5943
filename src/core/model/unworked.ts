import { NOTHING_GRANTED } from './grants.ts';
import type { Loop } from './model.ts';
import { NO_USAGE } from './usage.ts';

/** What a loop has done before its first iteration. */
export const UNWORKED = {
  iteration: 0,
  counted: 0,
  usedMs: 0,
  idleStreak: 0,
  failureStreak: 0,
  lastSaid: '',
  lastGate: null,
  lastOdd: null,
} as const;

/** What is known of a loop whose agent has told nothing and cost nothing yet. */
export const UNTOLD: Pick<
  Loop,
  | 'usage'
  | 'spends'
  | 'lastFailure'
  | 'progress'
  | 'blockedWhy'
  | 'doneSaid'
  | 'waitsFor'
  | 'hostDied'
  | 'guidance'
  | 'rework'
  | 'footprint'
  | 'clash'
  | 'bumped'
  | 'stopping'
  | 'granted'
  | 'place'
> = {
  place: { at: 'worktree' },
  usage: NO_USAGE,
  spends: [],
  lastFailure: null,
  progress: null,
  blockedWhy: null,
  doneSaid: null,
  waitsFor: null,
  hostDied: false,
  guidance: [],
  rework: null,
  footprint: [],
  clash: null,
  bumped: 0,
  stopping: false,
  granted: NOTHING_GRANTED,
};
