import { readFileSync } from 'node:fs';
import { AppError } from '../../core/model/errors.ts';
import {
  coveredEnd,
  listLoose,
  listSegments,
  listSnapshots,
  segmentWith,
  loosePath,
  segmentPath,
  snapshotPath,
} from './log-files.ts';
import { cannotRead, errorCode } from '../os/errno.ts';
import { decodeRecord, decodeSnapshot, lostIn, seqIn } from './record-line.ts';
import type { Segment } from './log-files.ts';

export interface Damage {
  /** `path:line`, or the folder for what is nowhere. */
  readonly where: string;
  readonly what: string;
}

/** Every file of a log, looked at by itself: what is whole, what is not, what must have been there. */
export interface Inspection {
  /** Whole records by number. */
  readonly good: ReadonlyMap<number, string>;
  /** Whole snapshots by number, ascending, as they stand in their files. */
  readonly snapshots: ReadonlyMap<number, string>;
  /** The highest number that anything names. */
  readonly end: number;
  readonly damage: readonly Damage[];
}

interface Findings {
  readonly good: Map<number, string>;
  /** By number: the snapshot that must be there. */
  readonly lost: Map<number, number>;
  readonly damage: Damage[];
}

/** Each further look needs somebody who writes at exactly that moment. */
const LOOKS_MAX = 100;

/**
 * Reads everything and changes nothing. Throws only for what a newer version wrote and for what cannot be read at all. Others append
 * and pack meanwhile: what seems to be missing may have moved while we looked.
 */
export function inspectLog(dir: string): Inspection {
  for (let looks = 1; ; looks += 1) {
    const before = namesOf(dir);
    const found = inspectOnce(dir);
    if (found.damage.length === 0 || looks === LOOKS_MAX || namesOf(dir) === before) return found;
  }
}

const namesOf = (dir: string): string => JSON.stringify([listLoose(dir), listSegments(dir), listSnapshots(dir)]);

function inspectOnce(dir: string): Inspection {
  const segments = listSegments(dir);
  const loose = listLoose(dir);
  const found: Findings = { good: new Map(), lost: new Map(), damage: [] };
  for (const segment of segments) inspectSegment(dir, segment, found);
  // A loose file whose number a segment covers means nothing, even if the segment is damaged: it may be a stale appender's.
  const covered = coveredEnd(segments);
  for (const seq of loose) if (seq > covered) inspectLoose(dir, seq, found);
  const snapshots = inspectSnapshots(dir, found.damage);
  const newest = Math.max(0, ...snapshots.keys());
  const end = Math.max(0, ...segments.map(({ to }) => to), ...listSnapshots(dir), loose.at(-1) ?? 0);
  for (let seq = 1; seq <= end; seq++) {
    const snapshot = found.lost.get(seq);
    if (found.good.has(seq) || (snapshot !== undefined && snapshot <= newest)) continue;
    const what = snapshot === undefined ? 'is missing' : `is lost, and so is snapshot ${snapshot} that replaced it`;
    if (snapshot !== undefined || !(loose.includes(seq) || segmentWith(segments, seq) !== null))
      found.damage.push({ where: dir, what: `record ${seq} ${what}` });
  }
  return { good: found.good, snapshots, end, damage: found.damage };
}

/** Lines are known by the number they hold, not by their place: one lost line feed must not spoil all that follow. */
function inspectSegment(dir: string, segment: Segment, found: Findings): void {
  const path = segmentPath(dir, segment);
  const lines = textOf(path).split(/(?<=\n)/);
  let isShifted = false;
  for (const [index, line] of lines.entries()) {
    const where = `${path}:${index + 1}`;
    const seq = segment.from + index;
    const fault = take(line, where, found, (written) => segment.from <= written && written <= segment.to);
    if (fault !== null) found.damage.push({ ...fault, what: `record ${seq}: ${fault.what}` });
    else if (!isShifted && seqIn(line, where) !== seq) {
      found.damage.push({ where, what: `holds another record than ${seq}` });
      isShifted = true;
    }
  }
  const wanted = segment.to - segment.from + 1;
  if (lines.length < wanted) found.damage.push({ where: path, what: `${lines.length} of ${wanted} records are there` });
}

function inspectLoose(dir: string, seq: number, found: Findings): void {
  const path = loosePath(dir, seq);
  const fault = take(textOf(path), `${path}:1`, found, (written) => written === seq);
  if (fault !== null) found.damage.push({ ...fault, what: `record ${seq}: ${fault.what}` });
}

/** Takes a whole line in; else says what is wrong with it. */
function take(line: string, where: string, found: Findings, isHere: (seq: number) => boolean): Damage | null {
  return faultOf(where, () => {
    const seq = seqIn(line, where);
    if (!isHere(seq)) throw new AppError('E_LOG_DAMAGED', `${where}: holds record ${seq}`);
    const lost = lostIn(line, where);
    if (lost !== null) found.lost.set(seq, lost.snapshot);
    else {
      decodeRecord(line, seq, where);
      found.good.set(seq, line);
    }
  });
}

function inspectSnapshots(dir: string, damage: Damage[]): Map<number, string> {
  const whole = new Map<number, string>();
  for (const seq of listSnapshots(dir)) {
    const path = snapshotPath(dir, seq);
    const line = textOf(path);
    const fault = faultOf(path, () => void decodeSnapshot(line, seq, path));
    if (fault === null) whole.set(seq, line);
    else damage.push(fault);
  }
  return whole;
}

function faultOf(where: string, read: () => void): Damage | null {
  try {
    read();
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'E_LOG_DAMAGED') throw error;
    return { where, what: error.message.replace(`${where}: `, '') };
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw cannotRead(path, error);
  }
}
