import type { Segment } from './log-names.ts';

/** Named moments between two steps, where tests pause, fail or die. */
export const LOG_POINTS = [
  'append:start',
  'append:synced',
  'append:linked',
  'append:listed',
  'append:durable',
  'read:scanned',
  'compact:read',
  'compact:synced',
  'compact:linked',
  'compact:durable',
  'compact:unlinked-one',
  'snapshot:synced',
  'snapshot:renamed',
] as const;
export type LogPoint = (typeof LOG_POINTS)[number];

/** One open log: where it is and which segments were seen there last. */
export interface LogPlace {
  readonly dir: string;
  readonly reach: (point: LogPoint) => Promise<void>;
  segments: readonly Segment[];
}
