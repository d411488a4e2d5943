import type { KeyType } from './key-types.ts';

/** A value as a person writes it: durations stay `"2h"`, units appear only in the settled result. */
export type KeyValue = string | number | boolean | readonly string[];

export interface ConfigKey {
  /** Dotted; `*` stands for a name the user chose. */
  readonly path: string;
  readonly type: KeyType;
  /** null: nothing unless someone sets it. */
  readonly fallback: KeyValue | null;
  readonly about: string;
  /** The variable that sets it; null: files and flags only. */
  readonly env: string | null;
  /** What a commented-out line shows when there is no fallback to show. */
  readonly example: KeyValue;
}

export function key(path: string, type: KeyType, fallback: KeyValue, about: string): ConfigKey {
  return { path, type, fallback, about, env: envName(path), example: fallback };
}

export function open(path: string, type: KeyType, example: KeyValue, about: string): ConfigKey {
  return { path, type, fallback: null, about, env: path.includes('*') ? null : envName(path), example };
}

/** The variable that sets a key: `parallel.max_workers` is `RALPH_PARALLEL_MAX_WORKERS`. */
function envName(path: string): string {
  return `RALPH_${path.replaceAll('.', '_').toUpperCase()}`;
}
