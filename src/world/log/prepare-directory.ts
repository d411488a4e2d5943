import { mkdirSync, statSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { release } from 'node:os';
import { AppError } from '../../core/model/errors.ts';
import { removeQuietly, syncDirectory } from '../os/durable-file.ts';
import { listTemporaries, packedDir, temporaryOwner } from './log-files.ts';
import { cannotWrite, errorCode } from '../os/errno.ts';
import { tryLink } from './append-record.ts';

const STALE_MS = 10 * 60 * 1000;

/** Makes the log's folder and proves that it can hold a log, before anything depends on it. */
export async function prepareDirectory(dir: string, anyFilesystem: boolean): Promise<void> {
  try {
    const firstMade = mkdirSync(packedDir(dir), { recursive: true, mode: 0o700 });
    if (firstMade !== undefined) {
      for (let made = packedDir(dir); made.length >= firstMade.length; made = dirname(made))
        await syncDirectory(dirname(made));
    }
    tryLink(dir);
    removeStaleTemporaries(dir);
  } catch (error) {
    throw cannotWrite(dir, error);
  }
  const unfit = anyFilesystem ? null : unfitFilesystemOf(dir);
  if (unfit !== null) {
    throw new AppError(
      'E_STATE_UNWRITABLE',
      `${dir} is on ${unfit}, where processes do not see each other's records in time`,
      {
        remedy: 'git clone the repository to a local disk and work there',
      },
    );
  }
}

function removeStaleTemporaries(dir: string): void {
  for (const name of listTemporaries(dir)) {
    const path = join(dir, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (age > STALE_MS && !isAlive(temporaryOwner(name))) removeQuietly(path);
  }
}

function isAlive(pid: number | null): boolean {
  if (pid === null) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

const NETWORK = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
]);
const NINE_P = 0x01021997;

/** The name of a filesystem on which another machine's changes show late, so that a listing proves nothing; else null. */
export function unfitFilesystem(type: number, kernel: string): string | null {
  // Virtual machines use 9p for plain disks too; in WSL it is a Windows drive.
  if (type === NINE_P) return /microsoft/i.test(kernel) ? 'a Windows drive' : null;
  return NETWORK.get(type >>> 0) ?? null;
}

/** The same for a path; only Linux numbers its filesystems like this. */
function unfitFilesystemOf(path: string): string | null {
  return process.platform === 'linux' ? unfitFilesystem(statfsSync(path).type, release()) : null;
}
