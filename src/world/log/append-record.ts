import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, writeFileSync } from 'node:fs';
import { removeQuietly, syncDirectory, writeDurably } from '../os/durable-file.ts';
import { coveredEnd, isPresent, listSegments, segmentWith, loosePath, packedDir, temporaryPath } from './log-files.ts';
import { missingRecord, encodeRecord } from './record-line.ts';
import { cannotWrite, errorCode } from '../os/errno.ts';
import { scanSegment } from './scan-files.ts';
import { AppError } from '../../core/model/errors.ts';
import type { LogPlace } from './log-files.ts';
import type { Appended, LogRecord } from '../contract/log.ts';

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

const NO_LINKS = new Set(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Some filesystems can be written but know no hard links. `shown`: the folder a person knows. */
export function tryLink(dir: string, shown = dir): void {
  const first = temporaryPath(dir, randomBytes(9).toString('base64url'));
  const second = `${first}-link`;
  try {
    writeFileSync(first, '', { flag: 'wx', mode: 0o600 });
    linkOrRefuse(first, second, shown);
  } finally {
    removeQuietly(first);
    removeQuietly(second);
  }
}

function linkOrRefuse(first: string, second: string, shown: string): void {
  try {
    linkSync(first, second);
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error) ?? '')) throw error;
    throw new AppError(
      'E_STATE_UNWRITABLE',
      `${shown} is on a file system without hard links, of which the log is made`,
      { remedy: 'git clone the repository to another disk and work there', cause: error },
    );
  }
}
