import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { errorCode } from '../log/log-errors.ts';

/** The text of a file somebody may have put there; null where it is none, a link, something else than a file, or too large. */
export function readPlainFile(file: string, bytesMax: number): string | null {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      return stat.isFile() && stat.size <= bytesMax ? readFileSync(fd, 'utf8') : null;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return null;
  }
}
