import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { cannotRead, damaged, errorCode } from './log-errors.ts';
import { loosePath, segmentPath } from './log-names.ts';
import type { Segment } from './log-names.ts';

/** Gets one raw line (its bytes are only lent), its number and where it stands. */
export type OnLine = (line: Buffer, seq: number, where: string) => void;

const LINE_FEED = 0x0a;
const lent = Buffer.allocUnsafe(64 * 1024);

/** Hands over the loose records from `from` to `to` until one is not there. */
export function scanLoose(dir: string, from: number, to: number, onLine: OnLine): void {
  for (let seq = from; seq <= to; seq++) {
    const path = loosePath(dir, seq);
    const line = readSmall(path);
    if (line === null) return;
    onLine(line, seq, `${path}:1`);
  }
}

/** Opening a log is a thousand of these: one buffer for all and no stat halve the cost of readFileSync. */
function readSmall(path: string): Buffer | null {
  try {
    const fd = openSync(path, 'r');
    try {
      const length = readSync(fd, lent, 0, lent.length, 0);
      return length < lent.length ? lent.subarray(0, length) : readFileSync(path);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw cannotRead(path, error);
  }
}

/** Hands over the records of a segment from number `from` up to `to`; every line asked for must be there and whole. */
export function scanSegment(dir: string, segment: Segment, from: number, to: number, onLine: OnLine): void {
  const path = segmentPath(dir, segment);
  const bytes = readWhole(path);
  let start = 0;
  for (let seq = segment.from; seq <= Math.min(to, segment.to); seq++) {
    const lineFeed = bytes.indexOf(LINE_FEED, start);
    const where = `${path}:${seq - segment.from + 1}`;
    if (lineFeed === -1) throw damaged(where, 'the segment ends too early');
    if (seq >= from) onLine(bytes.subarray(start, lineFeed + 1), seq, where);
    start = lineFeed + 1;
  }
  if (to >= segment.to && start < bytes.length) throw damaged(path, 'the segment goes on after its last record');
}

function readWhole(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw damaged(path, 'the segment is missing');
    throw cannotRead(path, error);
  }
}
