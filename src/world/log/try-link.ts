import { randomBytes } from 'node:crypto';
import { linkSync, writeFileSync } from 'node:fs';
import { AppError } from '../../core/model/errors.ts';
import { removeQuietly } from '../os/durable-file.ts';
import { errorCode } from '../os/errno.ts';
import { temporaryPath } from './log-names.ts';

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
      `${shown} is on a file system without hard links, of which the log is made.`,
      { remedy: 'git clone the repository to another disk and work there', cause: error },
    );
  }
}
