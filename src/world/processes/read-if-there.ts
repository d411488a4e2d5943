import { readFileSync, readdirSync } from 'node:fs';
import { errnoOf, systemFailure } from './system-failure.ts';

const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ESRCH', 'EACCES', 'EPERM']);

/**
 * A file that may vanish, or belong to somebody else, at any moment. A lack of file handles is no such case: taking it
 * for absence would declare living processes dead.
 */
export function readIfThere(file: string): Buffer | null {
  return unlessAbsent(file, () => readFileSync(file));
}

/** The same as text; empty where there is none. */
export const textIfThere = (file: string): string => readIfThere(file)?.toString('utf8') ?? '';

/** The names in a folder, below it with `recursive`; none where there is no such folder. */
export function namesIfThere(folder: string, { recursive = false } = {}): readonly string[] {
  return unlessAbsent(folder, () => readdirSync(folder, { recursive, encoding: 'utf8' })) ?? [];
}

function unlessAbsent<T>(path: string, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== null && NOT_THERE.has(errno)) return null;
    throw systemFailure(`${path} could not be read`, error);
  }
}
