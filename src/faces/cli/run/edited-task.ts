import type { Mark } from '../../../text/trackers/mark-task.ts';
import type { Call } from '../../call/handler.ts';

export const DID: Readonly<Record<Mark, string>> = { done: 'is done', blocked: 'is blocked', open: 'is open again' };

export interface Marked {
  readonly tracker: string;
  readonly task: string | null;
  readonly status: Mark;
}

export interface Added {
  readonly tracker: string;
  readonly task: string | null;
  readonly title: string;
}

export const textOf = (flag: Call['flags'][string] | undefined): string | null =>
  typeof flag === 'string' && flag.trim() !== '' ? flag.trim() : null;

export const listOf = (flag: Call['flags'][string] | undefined): readonly string[] | null =>
  Array.isArray(flag) ? (flag as readonly string[]).flatMap((one) => one.split(',').map((name) => name.trim())) : null;
