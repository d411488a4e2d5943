import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { removeQuietly, syncDirectory } from '../os/durable-file.ts';
import { unfitFilesystemOf } from './filesystem.ts';
import { listTemporaries } from './list-log.ts';
import { cannotWrite, errorCode } from '../os/errno.ts';
import { packedDir, temporaryOwner } from './log-names.ts';
import { tryLink } from './try-link.ts';

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
