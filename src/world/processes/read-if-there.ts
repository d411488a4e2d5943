import { readFileSync } from 'node:fs';
import { errnoOf, systemFailure } from './system-failure.ts';

const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ESRCH', 'EACCES', 'EPERM']);

/**
 * A file that may vanish, or belong to somebody else, at any moment. A lack of file handles is no such case: taking it
 * for absence would declare living processes dead.
 */
export function readIfThere(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== null && NOT_THERE.has(errno)) return null;
    throw systemFailure(`${file} could not be read`, error);
  }
}
