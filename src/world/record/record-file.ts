import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, linkSync, openSync, readFileSync, readSync, renameSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError } from '../../core/errors.ts';
import { shellWord } from '../../core/remedy.ts';
import { isRecord, readRecord } from '../../text/record/read-record.ts';
import type { LoopRecord } from '../../text/record/record.ts';
import { recordText } from '../../text/record/record.ts';
import { removeQuietly, syncDirectory, writeDurably } from '../log/durable-file.ts';
import { cannotWrite, errorCode } from '../log/log-errors.ts';

const RECORD_BYTES_MAX = 400 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;

/** Whether a record can be written there: where nothing is, or over another record. Asked before a loop costs anything. */
export function checkRecordFile(file: string): 'new' | 'replaces' {
  const fd = open(file, 'written');
  if (fd === null) {
    assertFolder(file);
    return 'new';
  }
  try {
    const stat = fstatSync(fd);
    const bytes = Buffer.alloc(FIRST_BYTES);
    const first = stat.isFile() ? bytes.toString('utf8', 0, readSync(fd, bytes, 0, FIRST_BYTES, 0)) : '';
    // A long prompt has a long first line; what it begins with is enough.
    const line = first.split('\n')[0] ?? '';
    if (stat.isFile() && (isRecord(line) || /^\{"record":\d+,/.test(line))) return 'replaces';
  } finally {
    closeSync(fd);
  }
  throw new AppError('E_RECORD', `${file} is there already and is no record of a loop, so it stays as it is`, {
    remedy: `ls -l ${shellWord(file)}`,
  });
}

function assertFolder(file: string): void {
  const folder = dirname(resolve(file));
  try {
    closeSync(openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY));
  } catch (cause) {
    throw new AppError('E_RECORD', `${folder} is no folder that a record can be written to`, {
      remedy: `mkdir -p ${shellWord(folder)}`,
      cause,
    });
  }
}

/** Whole or not at all, and never through a link. */
export async function writeRecord(file: string, record: LoopRecord): Promise<{ readonly replaced: boolean }> {
  const replaced = checkRecordFile(file) === 'replaces';
  const folder = dirname(resolve(file));
  const draft = join(folder, `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeDurably(draft, recordText(record));
    if (replaced) renameSync(draft, file);
    else linkSync(draft, file);
    await syncDirectory(folder);
    return { replaced };
  } catch (error) {
    throw cannotWrite(folder, error);
  } finally {
    removeQuietly(draft);
  }
}

/** The record in a file, or where it is none. */
export function loadRecord(file: string): LoopRecord {
  const fd = open(file, 'read');
  if (fd === null)
    throw new AppError('E_RECORD', `${file} is not there`, { remedy: `ls -l ${shellWord(dirname(resolve(file)))}` });
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > RECORD_BYTES_MAX)
      throw new AppError('E_RECORD', `${file} is not a plain file of reasonable size`, {
        remedy: `ls -l ${shellWord(file)}`,
      });
    const read = readRecord(readFileSync(fd, 'utf8'));
    if (read.ok) return read.record;
    throw new AppError('E_RECORD', `${file}:${read.line}: ${read.problem}`, {
      remedy: 'ralph run "what to do" --record FILE',
    });
  } finally {
    closeSync(fd);
  }
}

/** Null: nothing is there. Written is never through a link; what is read may be behind one of the user's. */
function open(file: string, what: 'read' | 'written'): number | null {
  const nofollow = what === 'written' ? constants.O_NOFOLLOW : 0;
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | nofollow);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ENOENT') return null;
    if (code === null) throw cause;
    throw new AppError('E_RECORD', `${file} cannot be ${what}: ${code === 'ELOOP' ? 'it is a link' : code}`, {
      remedy: `ls -ld ${shellWord(file)}`,
      cause,
    });
  }
}
