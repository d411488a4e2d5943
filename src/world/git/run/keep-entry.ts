import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';

/** Puts a link where it should be, unless it is there. By one rename, so several processes may do this at once. */
export function keepLink(path: string, target: string): void {
  if (orNull(() => readlinkSync(path)) === target) return;
  const aside = `${path}.${randomUUID()}`;
  symlinkSync(target, aside);
  putInPlace(aside, path);
}

/** The same for a file. */
export function keepFile(path: string, content: Buffer): void {
  if (orNull(() => readFileSync(path))?.equals(content) === true) return;
  const aside = `${path}.${randomUUID()}`;
  writeFileSync(aside, content, { mode: 0o600, flag: 'wx' });
  putInPlace(aside, path);
}

/** Whether somebody is just about to put this in place. */
export const isDraft = (name: string): boolean => /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);

function putInPlace(aside: string, path: string): void {
  try {
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

export function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
