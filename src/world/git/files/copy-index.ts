import { copyFileSync, rmSync, statSync, utimesSync } from 'node:fs';

/**
 * Copies an index with its age. git knows files by size and second; one changed in the second the index was written is read
 * again only because the index is no younger than it, and a copy made later would hide the change.
 */
export function copyIndex(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  // Rounded down, and asked before the copy, for somebody may write it meanwhile: younger would be wrong, older only costs time.
  const seconds = Math.floor(statSync(from).mtimeMs) / 1000;
  copyFileSync(from, to);
  utimesSync(to, seconds, seconds);
}
