import { existsSync, readdirSync } from 'node:fs';
import { damaged, missingRecord } from './record-line.ts';
import { cannotRead, errorCode } from '../os/errno.ts';
import type { LogPoint } from '../os/failpoint.ts';

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

/*
 * <dir>/000000000042                                    a loose record
 * <dir>/.tmp-<pid>-<id>                                 being written
 * <dir>/packed/segment-000000000001-000000000041.jsonl  records that were packed together
 * <dir>/packed/snapshot-000000000041.json               a fold
 *
 * <dir>.salvaged                                        a whole new log that is about to take this one's place
 *
 * Packed files have a folder of their own so that asking for them, which every append and read does, stays cheap
 * however many loose records there are.
 */

/** Records from..to in one file. Once there, a segment is never changed, replaced or removed. */
export interface Segment {
  readonly from: number;
  readonly to: number;
}

const LOOSE = /^\d{12}$/;
const SEGMENT = /^segment-(\d{12})-(\d{12})\.jsonl$/;
const SNAPSHOT = /^snapshot-(\d{12})\.json$/;
const TEMPORARY = /^\.tmp-(\d+)-/;

const padded = (seq: number): string => String(seq).padStart(12, '0');

export const packedDir = (dir: string): string => `${dir}/packed`;
export const salvagedDir = (dir: string): string => `${dir}.salvaged`;
export const loosePath = (dir: string, seq: number): string => `${dir}/${padded(seq)}`;
export const segmentPath = (dir: string, { from, to }: Segment): string =>
  `${packedDir(dir)}/segment-${padded(from)}-${padded(to)}.jsonl`;
export const snapshotPath = (dir: string, seq: number): string => `${packedDir(dir)}/snapshot-${padded(seq)}.json`;
/** `id` must be new each time. */
export const temporaryPath = (dir: string, id: string): string => `${dir}/.tmp-${process.pid}-${id}`;

export const looseSeq = (name: string): number | null => (LOOSE.test(name) ? Number(name) : null);

function segmentOf(name: string): Segment | null {
  const match = SEGMENT.exec(name);
  return match === null ? null : { from: Number(match[1]), to: Number(match[2]) };
}

function snapshotSeq(name: string): number | null {
  const match = SNAPSHOT.exec(name);
  return match === null ? null : Number(match[1]);
}

/** The process that made a temporary file, or null when the name is not of a temporary file. */
export function temporaryOwner(name: string): number | null {
  const match = TEMPORARY.exec(name);
  return match === null ? null : Number(match[1]);
}

/** One open log: where it is and which segments were seen there last. */
export interface LogPlace {
  readonly dir: string;
  readonly reach: (point: LogPoint) => Promise<void>;
  segments: readonly Segment[];
}
