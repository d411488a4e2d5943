import type { Driver } from '../../core/settings.ts';
import { DRIVERS } from '../../core/settings.ts';
import type { Usage } from '../../core/usage.ts';
import type { LoopRecord, RecordedBytes, RecordedIteration, RecordedVerb, RecordHeader } from './record.ts';
import { RECORD_VERSION } from './record.ts';

export type ReadRecord =
  | { readonly ok: true; readonly record: LoopRecord }
  | { readonly ok: false; readonly line: number; readonly problem: string };

class Wrong extends Error {}

type Fields = Readonly<Record<string, unknown>>;

const VERBS = ['progress', 'block', 'done'] as const;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Reads a record, or says on which line it is none. */
export function readRecord(text: string): ReadRecord {
  const lines = text.split('\n');
  // Every line has its end, or the file was cut.
  const whole = lines.slice(0, -1);
  let line = 1;
  try {
    const header = headerOf(parsed(whole[0]));
    const iterations: RecordedIteration[] = [];
    for (const one of whole.slice(1)) {
      line += 1;
      iterations.push(iterationOf(parsed(one), iterations.at(-1)?.n ?? 0));
    }
    if (lines.at(-1) !== '') return { ok: false, line: lines.length, problem: 'the file ends in the middle of a line' };
    return { ok: true, record: { header, iterations } };
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    return { ok: false, line, problem: error.message };
  }
}

/** Whether a file that begins like this is a record, of whatever version. */
export function isRecord(firstLine: string): boolean {
  try {
    return typeof parsed(firstLine)['record'] === 'number';
  } catch {
    return false;
  }
}

function parsed(line: string | undefined): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line ?? '');
  } catch {
    throw new Wrong('this is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Wrong('this is no JSON object');
  return value as Fields;
}

function headerOf(fields: Fields): RecordHeader {
  const record = fields['record'];
  if (typeof record !== 'number') throw new Wrong('this is no record of a loop: it has no `record`');
  if (record > RECORD_VERSION) throw new Wrong(`format ${record}, but this version knows only up to ${RECORD_VERSION}`);
  const driver = DRIVERS.find((one) => one === fields['driver']);
  if (driver === undefined) throw new Wrong('`driver` is none that is known');
  return {
    record,
    loop: textAt(fields, 'loop'),
    title: textAt(fields, 'title'),
    prompt: textAt(fields, 'prompt'),
    agent: textAt(fields, 'agent'),
    driver: driver satisfies Driver,
    promise: textAt(fields, 'promise'),
    base: orNull(fields, 'base', textAt),
  };
}

function iterationOf(fields: Fields, before: number): RecordedIteration {
  const n = numberAt(fields, 'n');
  if (!Number.isInteger(n) || n <= before) throw new Wrong('`n` must be a whole number that grows from line to line');
  return {
    n,
    prompt: bytesAt(fields, 'prompt'),
    stdout: bytesAt(fields, 'stdout'),
    stderr: bytesAt(fields, 'stderr'),
    exit: orNull(fields, 'exit', exitAt),
    durationMs: orNull(fields, 'durationMs', numberAt),
    patch: orNull(fields, 'patch', bytesAt),
    verbs: verbsAt(fields),
    // Only shown, never counted.
    usage: (fields['usage'] ?? null) as Usage | null,
    outcome: orNull(fields, 'outcome', textAt),
  };
}

const orNull = <T>(fields: Fields, name: string, read: (fields: Fields, name: string) => T): T | null =>
  fields[name] === null ? null : read(fields, name);

function textAt(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw new Wrong(`\`${name}\` is no text`);
  return value;
}

function numberAt(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== 'number') throw new Wrong(`\`${name}\` is no number`);
  return value;
}

function exitAt(fields: Fields, name: string): number {
  const value = numberAt(fields, name);
  if (!Number.isInteger(value) || value < 0 || value > 255) throw new Wrong(`\`${name}\` is no exit code`);
  return value;
}

function bytesAt(fields: Fields, name: string): RecordedBytes {
  const value = fields[name];
  if (typeof value === 'string') return value;
  const base64: unknown = typeof value === 'object' && value !== null && 'base64' in value ? value.base64 : null;
  if (typeof base64 !== 'string' || !BASE64.test(base64)) throw new Wrong(`\`${name}\` is neither text nor base64`);
  return { base64 };
}

function verbsAt(fields: Fields): readonly RecordedVerb[] {
  const value = fields['verbs'];
  if (!Array.isArray(value)) throw new Wrong('`verbs` is no list');
  return value.map((one: unknown): RecordedVerb => {
    const [name, text] = Array.isArray(one) ? (one as readonly unknown[]) : [];
    const verb = VERBS.find((known) => known === name);
    if (verb === undefined || typeof text !== 'string') throw new Wrong('`verbs` holds something that is no verb');
    return [verb, text];
  });
}
