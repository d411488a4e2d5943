import { readFileSync, readdirSync, existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
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

/** The names in a folder; none where there is no such folder. */
export function namesIfThere(folder: string): readonly string[] {
  return unlessAbsent(folder, () => readdirSync(folder, 'utf8')) ?? [];
}

/** What `throwIfNoEntry: false` promises and does not keep below a file: nothing is there either. */
export function ifThere<T>(look: () => T | undefined): T | undefined {
  try {
    return look();
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** The files in a folder and below. Folder by folder: one that goes meanwhile must not hide what is beside it. */
export function filesBelow(folder: string): readonly string[] {
  const entries = unlessAbsent(folder, () => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });
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

export const isThere = (path: string): boolean => existsSync(path);

/** A text that is no path at all (too long, with NUL) is no file either. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** A file itself, no link to one. */
export const isPlainFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
