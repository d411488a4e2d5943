import { constants, openSync } from 'node:fs';
import { systemFailure } from '../os/system-failure.ts';

/** Without waiting: a pipe nobody reads would hold the host up for ever. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a log for appending, readable by its owner only; a link or a pipe planted in its place is refused, not followed. */
export function openLog(file: string): number {
  try {
    return openSync(file, FLAGS, 0o600);
  } catch (error) {
    throw systemFailure(`${file} could not be opened`, error);
  }
}
