import { crc32 } from 'node:zlib';
import { damaged, newerFormat } from './log-errors.ts';
import type { LogRecord, Snapshot } from './log.ts';

const FORMAT = 1;
const CRC_LENGTH = 8;
const SPACE = 0x20;
const LINE_FEED = 0x0a;

/** `crc32 SP json LF`: what every file of the log is made of. */
function encodeLine(value: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(value));
  return Buffer.concat([Buffer.from(`${checksum(json)} `), json, Buffer.from([LINE_FEED])]);
}

const checksum = (json: Uint8Array): string => crc32(json).toString(16).padStart(CRC_LENGTH, '0');

/** Checks the checksum on the bytes, before they become text: decoding would hide some damage. */
function decodeLine(line: Buffer, where: string): Record<string, unknown> {
  const end = line.length - 1;
  const whole = end > CRC_LENGTH && line[CRC_LENGTH] === SPACE && line[end] === LINE_FEED;
  const json = line.subarray(CRC_LENGTH + 1, Math.max(end, CRC_LENGTH + 1));
  if (!whole || line.toString('latin1', 0, CRC_LENGTH) !== checksum(json))
    throw damaged(where, 'the checksum does not match');
  const value = parse(json.toString(), where);
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
export function encodeRecord<E>(record: LogRecord<E>, id: string): Buffer {
  const { seq, at, by, events } = record;
  return encodeLine({ v: FORMAT, seq, at, by, id, events });
}

export function decodeRecord<E>(line: Buffer, seq: number, where: string): LogRecord<E> {
  const { seq: written, at, by, events } = decodeLine(line, where);
  if (written !== seq) throw damaged(where, `holds record ${String(written)} in the place of record ${seq}`);
  if (typeof at !== 'number' || typeof by !== 'string' || !Array.isArray(events)) throw damaged(where, 'not a record');
  return { seq, at, by, events: events as readonly E[] };
}

export function encodeSnapshot(snapshot: Snapshot): Buffer {
  return encodeLine({ v: FORMAT, seq: snapshot.seq, state: snapshot.state });
}

export function decodeSnapshot(line: Buffer, seq: number, where: string): Snapshot {
  const { seq: written, state } = decodeLine(line, where);
  if (written !== seq || state === undefined) throw damaged(where, 'not a snapshot');
  return { seq, state };
}
