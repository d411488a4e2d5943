import type { Driver } from '../../core/settings.ts';
import type { Usage } from '../../core/usage.ts';

/** Of the format. A reader takes this and every one before it. */
export const RECORD_VERSION = 1;

/** Bytes as text where they are UTF-8, which is nearly always, so that a record can be read and compared by eye. */
export type RecordedBytes = string | { readonly base64: string };

/** What a loop was asked to do, and by whom. */
export interface RecordHeader {
  readonly record: number;
  readonly loop: string;
  readonly title: string;
  readonly prompt: string;
  readonly agent: string;
  /** How its output is to be read. */
  readonly driver: Driver;
  readonly promise: string;
  /** The commit it began from; null: it never began. */
  readonly base: string | null;
}

/** Something the agent said by a verb, as it was called: `['done', 'all of it']`. */
export type RecordedVerb = readonly [verb: 'progress' | 'block' | 'done', text: string];

/** One iteration: what went in, what came out, and what it changed. */
export interface RecordedIteration {
  readonly n: number;
  readonly prompt: RecordedBytes;
  readonly stdout: RecordedBytes;
  readonly stderr: RecordedBytes;
  /** Null: it did not end by itself. */
  readonly exit: number | null;
  readonly durationMs: number | null;
  /** From where it began to where it ended, as `git diff --binary` has it; null: nobody saw its end. */
  readonly patch: RecordedBytes | null;
  readonly verbs: readonly RecordedVerb[];
  readonly usage: Usage | null;
  readonly outcome: string | null;
}

export interface LoopRecord {
  readonly header: RecordHeader;
  readonly iterations: readonly RecordedIteration[];
}

/** JSON lines: the header, then an iteration each. */
export function recordText({ header, iterations }: LoopRecord): string {
  return [header, ...iterations].map((one) => `${JSON.stringify(one)}\n`).join('');
}
