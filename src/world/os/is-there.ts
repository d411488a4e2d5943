import { existsSync, lstatSync, statSync } from 'node:fs';

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
