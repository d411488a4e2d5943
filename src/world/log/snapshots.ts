import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, linkSync } from 'node:fs';
import { AppError } from '../../core/model/errors.ts';
import { removeQuietly, syncDirectory, writeDurably } from '../os/durable-file.ts';
import {
  isPresent,
  listSnapshots,
  packedDir,
  snapshotPath,
  temporaryPath,
  coveredEnd,
  listLoose,
  listSegments,
  loosePath,
  segmentPath,
} from './log-files.ts';
import { damaged, decodeSnapshot, encodeSnapshot, missingRecord, decodeRecord } from './record-line.ts';
import { cannotRead, errorCode } from '../os/errno.ts';
import { readLines } from './scan-files.ts';
import type { LogPlace, Segment } from './log-files.ts';
import type { Snapshot } from '../contract/log.ts';

const KEPT = 2;
const MAX_TRIES = 100;

/** Writes a snapshot beside the older ones, then removes all but the newest two. */
export async function writeSnapshot(place: LogPlace, snapshot: Snapshot): Promise<void> {
  const temporary = temporaryPath(place.dir, randomBytes(9).toString('base64url'));
  await writeDurably(temporary, encodeSnapshot(snapshot));
  try {
    await place.reach('snapshot:synced');
    // Replaces: the same number again may be the repair of a damaged one.
    renameSync(temporary, snapshotPath(place.dir, snapshot.seq));
  } finally {
    removeQuietly(temporary);
  }
  await syncDirectory(packedDir(place.dir));
  await place.reach('snapshot:renamed');
  for (const seq of listSnapshots(place.dir).slice(0, -KEPT)) removeQuietly(snapshotPath(place.dir, seq));
}

/** The newest whole snapshot. A damaged one only costs time; one beyond the end of the log means that records are gone. */
export function newestSnapshot(dir: string): Snapshot | null {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    let removedMeanwhile = false;
    for (const seq of listSnapshots(dir).toReversed()) {
      const found = readSnapshot(dir, seq);
      if (found === 'gone') removedMeanwhile = true;
      if (found === 'gone' || found === 'damaged') continue;
      if (seq > 0 && !isPresent(dir, seq)) {
        throw damaged(snapshotPath(dir, seq), `the snapshot holds record ${seq}, but the log does not reach that far`);
      }
      return found;
    }
    if (!removedMeanwhile) return null;
  }
  return null;
}

function readSnapshot(dir: string, seq: number): Snapshot | 'gone' | 'damaged' {
  const path = snapshotPath(dir, seq);
  try {
    return decodeSnapshot(readFileSync(path, 'utf8'), seq, `${path}:1`);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'gone';
    if (error instanceof AppError && error.code === 'E_LOG_DAMAGED') return 'damaged';
    throw error instanceof AppError ? error : cannotRead(path, error);
  }
}

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
