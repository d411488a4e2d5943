import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Disk } from '../contract/world.ts';

const MEGABYTE = 1024 * 1024;

/** What ordinary users may still write where these folders are, or will be. */
export function openDisk(folders: readonly string[]): Disk {
  return { freeMb: () => Math.min(...folders.map(freeMbAt)) };
}

function freeMbAt(folder: string): number {
  let there = folder;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  const { bavail, bsize } = statfsSync(there);
  return Math.floor((bavail * bsize) / MEGABYTE);
}
