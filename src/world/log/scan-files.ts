import { readFileSync } from 'node:fs';
import { damaged } from './log-errors.ts';
import { cannotRead, errorCode } from '../os/errno.ts';
import { loosePath, segmentPath } from './log-names.ts';
import type { Segment } from './log-names.ts';

/** Gets one line with its line feed, its number and where it stands. */
export type OnLine = (line: string, seq: number, where: string) => void;

/** Hands over the loose records from `from` to `to` until one is not there. */
export function scanLoose(dir: string, from: number, to: number, onLine: OnLine): void {
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
  if (to >= segment.to && start < text.length) throw damaged(path, 'the segment goes on after its last record');
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
