import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Lets us look into a folder and delete what is in it, whatever somebody closed. */
export function openFolder(folder: Buffer | string, mode: number): void {
  if ((mode & 0o700) !== 0o700) chmodSync(folder, (mode & 0o7000) | (0o777 & ~process.umask()));
}

/** Opens every folder below, ignored or not. */
export function openAllFolders(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return;
  openFolder(path, stat.mode);
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) openAllFolders(join(path, entry.name));
}
