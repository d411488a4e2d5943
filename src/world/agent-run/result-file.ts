import { linkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../processes/system-failure.ts';
import type { IterationResult } from '../world.ts';
import { readJsonFile, removeQuietly } from './agent-file.ts';

const NAME = 'result.json';

export interface Kept {
  readonly result: IterationResult;
  /** Whether a host that comes later can read it. */
  readonly isKept: boolean;
}

/**
 * Kept before logs are trimmed: a host that dies right after leaves a log in which not everything can be read again. Of
 * two hosts that saw the end, the first one counts: the other may have read a log that was already trimmed.
 */
export function keepResult(dir: string, result: IterationResult): Kept {
  const file = join(dir, NAME);
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, JSON.stringify(result), { mode: 0o600 });
    return link(draft, file) ? { result, isKept: true } : firstOne(dir, result, draft);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return { result, isKept: false };
  } finally {
    removeQuietly(draft);
  }
}

function link(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function firstOne(dir: string, result: IterationResult, draft: string): Kept {
  const first = readResult(dir);
  if (first !== null) return { result: first, isKept: true };
  renameSync(draft, join(dir, NAME));
  return { result, isKept: true };
}

/** What became of the iteration, if somebody saw its end before us. */
export function readResult(dir: string): IterationResult | null {
  const value = readJsonFile(join(dir, NAME)) as Partial<IterationResult> | null;
  const isWhole = typeof value?.end === 'object' && typeof value.report === 'object';
  return isWhole ? (value as IterationResult) : null;
}
