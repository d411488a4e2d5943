import { copyFileSync, rmSync, statSync, utimesSync } from 'node:fs';

/**
 * Copies an index with its age. git knows files by size and second; one changed in the second the index was written is read
 * again only because the index is no younger than it, and a copy made later would hide the change.
 */
export function copyIndex(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  copyFileSync(from, to);
  // Rounded down: younger would be wrong, older only costs time.
  const seconds = Math.floor(statSync(from).mtimeMs) / 1000;
  utimesSync(to, seconds, seconds);
}
