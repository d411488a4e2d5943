import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { AppError } from '../../core/model/errors.ts';
import { removeQuietly, syncDirectory, writeDurably } from '../os/durable-file.ts';
import { isPresent, listSnapshots } from './list-log.ts';
import { damaged } from './log-errors.ts';
import { cannotRead, errorCode } from '../os/errno.ts';
import { packedDir, snapshotPath, temporaryPath } from './log-names.ts';
import type { LogPlace } from './log-place.ts';
import type { Snapshot } from '../contract/log.ts';
import { decodeSnapshot, encodeSnapshot } from './record-line.ts';

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
