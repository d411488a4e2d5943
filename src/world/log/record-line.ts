import { crc32 } from 'node:zlib';
import { existsSync } from 'node:fs';
import { AppError, UPGRADE } from '../../core/model/errors.ts';
import type { LogRecord, Snapshot } from '../contract/log.ts';

const FORMAT = 1;
const CRC_LENGTH = 8;
/** Whom records are by that only fill a number. */
export const SALVAGE = 'salvage';

/** `crc32 SP json LF`: what every file of the log is made of. */
function encodeLine(value: unknown): string {
  const json = JSON.stringify(value);
  return `${checksum(json)} ${json}\n`;
}

/** Of the text in UTF-8. Bytes that are no UTF-8 read as replacement characters, so the text they spoil fails the check. */
const checksum = (json: string): string => crc32(json).toString(16).padStart(CRC_LENGTH, '0');

function decodeLine(line: string, where: string): Record<string, unknown> {
  const json = line.slice(CRC_LENGTH + 1, -1);
  const whole = line[CRC_LENGTH] === ' ' && line.endsWith('\n') && line.startsWith(checksum(json));
  if (!whole) throw damaged(where, 'the checksum does not match');
  const value = parse(json, where);
  if (typeof value !== 'object' || value === null) throw damaged(where, 'not a record');
  const fields = value as Record<string, unknown>;
  const version = fields['v'];
  if (typeof version === 'number' && version > FORMAT) throw newerFormat(where, version, FORMAT);
  if (version !== FORMAT) throw damaged(where, 'no format version');
  return fields;
}

function parse(json: string, where: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw damaged(where, 'not JSON');
  }
}

/** `id` is unique to this append, so that an appender knows its own record again wherever it went. */
export function encodeRecord<E>(record: LogRecord<E>, id: string): string {
  const { seq, at, by, events } = record;
  return encodeLine({ v: FORMAT, seq, at, by, id, events });
}

/**
 * Stands for a record that was lost while a snapshot that held it was not. It counts, but it cannot be folded: whoever
 * has to read it has lost the snapshot as well.
 */
export function encodeLost(seq: number, at: number, snapshot: number): string {
  return encodeLine({ v: FORMAT, seq, at, by: SALVAGE, lost: snapshot, events: [] });
}

/** The number and the snapshot of a line made by `encodeLost`; null for any other whole line. Damage throws. */
export function lostIn(line: string, where: string): { readonly seq: number; readonly snapshot: number } | null {
  const { seq, lost } = decodeLine(line, where);
  return typeof seq === 'number' && typeof lost === 'number' ? { seq, snapshot: lost } : null;
}

/** The number a whole line gives itself. Damage throws. */
export function seqIn(line: string, where: string): number {
  const { seq } = decodeLine(line, where);
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) throw damaged(where, 'not a record');
  return seq;
}

export function decodeRecord<E>(line: string, seq: number, where: string): LogRecord<E> {
  const { seq: written, at, by, events, lost } = decodeLine(line, where);
  if (written !== seq) throw damaged(where, `holds record ${String(written)} in the place of record ${seq}`);
  if (lost !== undefined)
    throw damaged(where, `record ${seq} was lost, and now the snapshot that replaced it is lost too`);
  if (typeof at !== 'number' || typeof by !== 'string' || !Array.isArray(events)) throw damaged(where, 'not a record');
  return { seq, at, by, events: events as readonly E[] };
}

export function encodeSnapshot(snapshot: Snapshot): string {
  return encodeLine({ v: FORMAT, seq: snapshot.seq, state: snapshot.state });
}

export function decodeSnapshot(line: string, seq: number, where: string): Snapshot {
  const { seq: written, state } = decodeLine(line, where);
  if (written !== seq || state === undefined) throw damaged(where, 'not a snapshot');
  return { seq, state };
}

/** `where` is `path:line`. */
export function damaged(where: string, what: string): AppError {
  return new AppError('E_LOG_DAMAGED', `${where}: ${what}`, { remedy: 'ralph doctor --fix' });
}

export function missingRecord(dir: string, seq: number): AppError {
  if (existsSync(dir)) return damaged(dir, `record ${seq} is missing`);
  return new AppError('E_LOG_DAMAGED', `${dir}: record ${seq} is missing: the log was removed while it was in use`, {
    facts: [
      'nothing new starts or lands; running agents continue, and their work is in their worktrees',
      'the next run resumes from the branches, the worktrees and the history',
    ],
    remedy: 'ralph run --parallel',
  });
}

function newerFormat(where: string, version: number, ours: number): AppError {
  return new AppError('E_LOG_NEWER', `${where}: format ${version}, but this version knows only up to ${ours}`, {
    remedy: UPGRADE,
  });
}
