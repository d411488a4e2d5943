import type { LogPoint } from '../os/failpoint.ts';
import type { Segment } from './log-names.ts';

/** One open log: where it is and which segments were seen there last. */
export interface LogPlace {
  readonly dir: string;
  readonly reach: (point: LogPoint) => Promise<void>;
  segments: readonly Segment[];
}
