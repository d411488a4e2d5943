import type { LoopId } from '../../core/model/ids.ts';
import { raw, span } from './line.ts';
import type { Line } from './line.ts';
import type { Size } from './model.ts';

export type Section = 'needs you' | 'train' | 'at work' | 'waiting' | 'landed' | 'parked';

/** A row of the list. */
export interface Row {
  readonly section: Section;
  /** Null: it cannot be chosen. */
  readonly key: string | null;
  readonly loop: LoopId | null;
  readonly task: string | null;
  /** The command that moves it on. */
  readonly next: string | null;
  readonly line: Line;
}

/** Below this many rows the list has them all. */
export const STANDS_ROWS_MIN = 12;

/** How many rows of the list there is room for: beside the first, what the chosen one is about, and the last. */
export const listRoom = ({ rows }: Size): number => rows - (rows < STANDS_ROWS_MIN ? 2 : 3);

/** From here on a row has room for more. */
export const WIDE = 90;

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** How long: seconds only below a minute, so that nothing moves that nobody waits for. */
export function describeAge(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.floor(ms / SECOND_MS))}s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m`;
  return `${Math.floor(ms / HOUR_MS)}h${String(Math.floor(ms / MINUTE_MS) % 60).padStart(2, '0')}`;
}

export const heading = (section: Section, line: Line): Row => ({
  section,
  key: null,
  loop: null,
  task: null,
  next: null,
  line,
});

export const title = (section: Section, many: number, more: string): Row =>
  heading(section, [span(`${section.toUpperCase()} ${many}`, 'bold'), raw('  '), span(more, 'dim')]);

type About = Partial<Pick<Row, 'key' | 'loop' | 'task' | 'next'>>;

export const rowOf = (section: Section, { key, loop = null, task = null, next = null }: About, line: Line): Row => ({
  section,
  key: key ?? loop ?? `task:${task}`,
  loop,
  task,
  next,
  line,
});

export const nameWidth = (columns: number): number => Math.max(10, Math.min(28, Math.floor(columns / 6)));
