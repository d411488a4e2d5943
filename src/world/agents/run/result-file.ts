import { randomBytes } from 'node:crypto';
import { linkSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { syncDirectory, writeDurably } from '../../os/durable-file.ts';
import { errnoOf } from '../../os/system-failure.ts';
import type { IterationResult } from '../../contract/world.ts';
import { readJsonFile, removeQuietly } from '../../os/files.ts';

const NAME = 'result.json';

export interface Kept {
  readonly result: IterationResult;
  /** Whether a host that comes later can read it. */
  readonly isKept: boolean;
}

/** What could not be kept for want of disk, by run folder: as long as we live, the end that we saw is the one that counts. */
const unkept = new Map<string, IterationResult>();

/**
 * Kept, on the disk itself, before logs are trimmed: a host that dies right after leaves a log in which not everything can be
 * read again. Of two hosts that saw the end, the first one counts: the other may have read a log that was already trimmed.
 */
export async function keepResult(dir: string, result: IterationResult): Promise<Kept> {
  const file = join(dir, NAME);
  const draft = `${file}.${process.pid}.${randomBytes(6).toString('hex')}`;
  try {
    await writeDurably(draft, JSON.stringify(result));
    const first = link(draft, file) ? result : firstOne(dir, result, draft);
    await syncDirectory(dir);
    unkept.delete(dir);
    return { result: first, isKept: true };
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    unkept.set(dir, result);
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

function firstOne(dir: string, result: IterationResult, draft: string): IterationResult {
  const first = resultIn(dir);
  if (first === null) renameSync(draft, join(dir, NAME));
  return first ?? result;
}

/** What became of the iteration, if somebody saw its end before us. */
export async function readResult(dir: string): Promise<Kept | null> {
  const first = resultIn(dir);
  if (first !== null) return { result: first, isKept: true };
  const seen = unkept.get(dir);
  return seen === undefined ? null : keepResult(dir, seen);
}

function resultIn(dir: string): IterationResult | null {
  const value = readJsonFile(join(dir, NAME)) as Partial<IterationResult> | null;
  const isWhole = typeof value?.end === 'object' && typeof value.report === 'object';
  return isWhole ? (value as IterationResult) : null;
}
