import { existsSync, readdirSync } from 'node:fs';
import { damaged, missingRecord } from './log-errors.ts';
import { cannotRead, errorCode } from '../os/errno.ts';
import { loosePath, looseSeq, packedDir, salvagedDir, segmentOf, snapshotSeq, temporaryOwner } from './log-names.ts';
import type { Segment } from './log-names.ts';

/** No listing is atomic: an entry made or removed meanwhile may or may not show. An absent directory lists as empty. */
function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw cannotRead(dir, error);
  }
}

const present = <T>(value: T | null): value is T => value !== null;

/** Ascending. Those that a segment covers mean nothing. */
export const listLoose = (dir: string): readonly number[] =>
  namesIn(dir)
    .map(looseSeq)
    .filter(present)
    .sort((a, b) => a - b);

/** Ascending by first, then by last number. Two may overlap; where they do they hold the same records. */
export const listSegments = (dir: string): readonly Segment[] =>
  namesIn(packedDir(dir))
    .map(segmentOf)
    .filter(present)
    .sort((a, b) => a.from - b.from || a.to - b.to);

export const listSnapshots = (dir: string): readonly number[] =>
  namesIn(packedDir(dir))
    .map(snapshotSeq)
    .filter(present)
    .sort((a, b) => a - b);

export const listTemporaries = (dir: string): readonly string[] =>
  namesIn(dir).filter((name) => temporaryOwner(name) !== null);

/** The last number up to which segments cover everything from 1 on. */
export function coveredEnd(segments: readonly Segment[]): number {
  let end = 0;
  for (const segment of segments) {
    if (segment.from > end + 1) break;
    end = Math.max(end, segment.to);
  }
  return end;
}

export const segmentWith = (segments: readonly Segment[], seq: number): Segment | null =>
  segments.find(({ from, to }) => from <= seq && seq <= to) ?? null;

/** Sure even while others compact: a loose record goes away only after the segment that holds it is there. */
export function isPresent(dir: string, seq: number): boolean {
  return existsSync(loosePath(dir, seq)) || segmentWith(listSegments(dir), seq) !== null;
}

/** A salvage was killed, or is, between its two renames: what stands here now, if anything, is not the log. */
export const isHalfSwapped = (dir: string): boolean => existsSync(salvagedDir(dir));

/** Returns the last number of the log; throws when one below it is nowhere. */
export function endWithoutGaps(dir: string): number {
  if (isHalfSwapped(dir)) throw damaged(dir, 'a salvage of it was not brought to its end');
  const loose = listLoose(dir).map((seq) => ({ from: seq, to: seq }));
  const ranges = [...listSegments(dir), ...loose].sort((a, b) => a.from - b.from);
  let end = 0;
  for (const { from, to } of ranges) {
    for (let seq = end + 1; seq < from; seq++) if (!isPresent(dir, seq)) throw missingRecord(dir, seq);
    end = Math.max(end, to);
  }
  return end;
}
