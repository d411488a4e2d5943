import { readFileSync } from 'node:fs';
import { damaged, missingRecord } from './record-line.ts';
import { cannotRead, errorCode } from '../os/errno.ts';
import { loosePath, segmentPath, coveredEnd, isPresent, listSegments } from './log-files.ts';
import type { Segment, LogPlace } from './log-files.ts';

/** Gets one line with its line feed, its number and where it stands. */
type OnLine = (line: string, seq: number, where: string) => void;

/** Hands over the loose records from `from` to `to` until one is not there. */
function scanLoose(dir: string, from: number, to: number, onLine: OnLine): void {
  for (let seq = from; seq <= to; seq++) {
    const path = loosePath(dir, seq);
    const line = readText(path);
    if (line === null) return;
    onLine(line, seq, `${path}:1`);
  }
}

/** Hands over the records of a segment from number `from` up to `to`; every line asked for must be there and whole. */
export function scanSegment(dir: string, segment: Segment, from: number, to: number, onLine: OnLine): void {
  const path = segmentPath(dir, segment);
  const text = readText(path);
  if (text === null) throw damaged(path, 'the segment is missing');
  let start = 0;
  for (let seq = segment.from; seq <= Math.min(to, segment.to); seq++) {
    const lineFeed = text.indexOf('\n', start);
    const where = `${path}:${seq - segment.from + 1}`;
    if (lineFeed === -1) throw damaged(where, 'the segment ends too early');
    if (seq >= from) onLine(text.slice(start, lineFeed + 1), seq, where);
    start = lineFeed + 1;
  }
  if (to >= segment.to && start < text.length) throw damaged(path, 'the segment has data after its last record');
}

/** As text at once: in Node this is the cheapest way to read a small file, and opening a log reads a thousand of them. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw cannotRead(path, error);
  }
}

/** Each retry needs a compaction at exactly that moment; this many in a row do not happen. */
const MAX_TRIES = 1000;

/** Returns what `keep` makes of every record with `after < seq <= upTo`. */
export async function readLines<T>(
  place: LogPlace,
  after: number,
  upTo: number,
  keep: (...line: Parameters<OnLine>) => T,
): Promise<readonly T[]> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const kept: T[] = [];
    const onLine: OnLine = (...line) => kept.push(keep(...line));
    const used = place.segments;
    const packedTo = scanSegments(place.dir, used, after, upTo, onLine);
    scanLoose(place.dir, packedTo + 1, upTo, onLine);
    await place.reach('read:scanned');
    place.segments = listSegments(place.dir);
    if (coveredEnd(place.segments) > coveredEnd(used)) continue;
    if (after > coveredEnd(place.segments) && !isPresent(place.dir, after)) throw missingRecord(place.dir, after);
    return kept;
  }
  throw damaged(place.dir, 'segments and loose records do not fit together');
}

/** Returns the last number the segments gave, or `after` when they have nothing newer. */
function scanSegments(dir: string, segments: readonly Segment[], after: number, upTo: number, onLine: OnLine): number {
  let end = after;
  for (const segment of segments) {
    if (segment.to <= end || end >= upTo) continue;
    if (segment.from > end + 1) break;
    scanSegment(dir, segment, end + 1, upTo, onLine);
    end = Math.min(segment.to, upTo);
  }
  return end;
}
