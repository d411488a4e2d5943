import { damaged, missingRecord } from './log-errors.ts';
import { coveredEnd, isPresent, listSegments } from './list-log.ts';
import type { Segment } from './log-names.ts';
import type { LogPlace } from './log-place.ts';
import { scanLoose, scanSegment } from './scan-files.ts';
import type { OnLine } from './scan-files.ts';

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
