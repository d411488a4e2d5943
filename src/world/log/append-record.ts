import { randomBytes } from 'node:crypto';
import { existsSync, linkSync } from 'node:fs';
import { removeQuietly, syncDirectory, writeDurably } from '../os/durable-file.ts';
import { coveredEnd, isPresent, listSegments, segmentWith } from './list-log.ts';
import { missingRecord } from './log-errors.ts';
import { cannotWrite, errorCode } from '../os/errno.ts';
import { loosePath, packedDir, temporaryPath } from './log-names.ts';
import type { LogPlace } from './log-place.ts';
import type { Appended, LogRecord } from '../contract/log.ts';
import { encodeRecord } from './record-line.ts';
import { scanSegment } from './scan-files.ts';

/** `onUnsure` hears of a failure after others could see the record: it is neither durable nor certainly absent. */
export async function appendRecord<E>(
  place: LogPlace,
  record: LogRecord<E>,
  onUnsure: (error: unknown) => void,
): Promise<Appended> {
  const { dir, reach } = place;
  const { seq } = record;
  await reach('append:start');
  if (isTaken(place, seq)) return { ok: false };
  if (seq > 1 && !isPresent(dir, seq - 1)) throw missingRecord(dir, seq - 1);
  const id = randomBytes(9).toString('base64url');
  const line = encodeRecord(record, id);
  if (!(await linkLine(place, seq, line, temporaryPath(dir, id)))) return { ok: false };
  try {
    await reach('append:linked');
    const held = holder(place, seq, line);
    await reach('append:listed');
    if (held === 'other') {
      removeQuietly(loosePath(dir, seq));
      return { ok: false };
    }
    if (held === 'ours, packed') await syncDirectory(packedDir(dir));
    await syncDirectory(dir);
    await reach('append:durable');
    return { ok: true, seq };
  } catch (error) {
    const unsure = cannotWrite(dir, error);
    onUnsure(unsure);
    throw unsure;
  }
}

/** Spares a stale appender the write; the link decides anyway. */
function isTaken(place: LogPlace, seq: number): boolean {
  return seq <= coveredEnd(place.segments) || existsSync(loosePath(place.dir, seq));
}

async function linkLine(place: LogPlace, seq: number, line: string, temporary: string): Promise<boolean> {
  try {
    await writeDurably(temporary, line);
    await place.reach('append:synced');
    linkSync(temporary, loosePath(place.dir, seq));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw cannotWrite(place.dir, error);
  } finally {
    removeQuietly(temporary);
  }
}

/** Whose record has the number, after our link succeeded: the link may have filled the place of one that was packed meanwhile. */
function holder(place: LogPlace, seq: number, line: string): 'ours, loose' | 'ours, packed' | 'other' {
  place.segments = listSegments(place.dir);
  const segment = segmentWith(place.segments, seq);
  if (segment === null) return 'ours, loose';
  let ours = false;
  scanSegment(place.dir, segment, seq, seq, (packed) => {
    ours = packed === line;
  });
  return ours ? 'ours, packed' : 'other';
}
