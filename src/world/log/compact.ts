import { randomBytes } from 'node:crypto';
import { linkSync } from 'node:fs';
import { removeQuietly, syncDirectory, writeDurably } from '../os/durable-file.ts';
import { coveredEnd, listLoose, listSegments } from './list-log.ts';
import { missingRecord } from './log-errors.ts';
import { errorCode } from '../os/errno.ts';
import { loosePath, packedDir, segmentPath, temporaryPath } from './log-names.ts';
import type { Segment } from './log-names.ts';
import type { LogPlace } from './log-place.ts';
import { readLines } from './read-lines.ts';
import { decodeRecord } from './record-line.ts';

/** Packs the loose records up to `upTo` into a segment and removes every loose file that some segment covers. */
export async function compact(place: LogPlace, upTo: number): Promise<void> {
  place.segments = listSegments(place.dir);
  const covered = coveredEnd(place.segments);
  const lines = await readLines(place, Math.min(covered, upTo), upTo, (line, seq, where) => {
    decodeRecord(line, seq, where);
    return line;
  });
  if (lines.length < upTo - covered) throw missingRecord(place.dir, covered + lines.length + 1);
  await place.reach('compact:read');
  if (coveredEnd(place.segments) < upTo) await linkSegment(place, { from: covered + 1, to: upTo }, lines.join(''));
  await removeCovered(place);
}

async function linkSegment(place: LogPlace, segment: Segment, text: string): Promise<void> {
  const temporary = temporaryPath(place.dir, randomBytes(9).toString('base64url'));
  await writeDurably(temporary, text);
  try {
    await place.reach('compact:synced');
    linkSync(temporary, segmentPath(place.dir, segment));
  } catch (error) {
    // Another compactor made the same segment of the same records.
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    removeQuietly(temporary);
  }
  await place.reach('compact:linked');
}

/** Listed before the flush, so that a loose file goes only when the segment that covers it is on the disk. */
async function removeCovered(place: LogPlace): Promise<void> {
  place.segments = listSegments(place.dir);
  const covered = coveredEnd(place.segments);
  const needless = listLoose(place.dir).filter((seq) => seq <= covered);
  if (needless.length === 0) return;
  await syncDirectory(packedDir(place.dir));
  await place.reach('compact:durable');
  for (const [index, seq] of needless.entries()) {
    removeQuietly(loosePath(place.dir, seq));
    if (index === 0) await place.reach('compact:unlinked-one');
  }
}
