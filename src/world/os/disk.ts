import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
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

/**
 * Resolves when what was written below a folder is on disk. `sync -f` flushes the whole file system, which also covers
 * files that other processes wrote without flushing them; where it is missing, the folder and the one above are flushed.
 */
export async function syncFilesystem(folder: string): Promise<void> {
  if (await runSync(folder)) return;
  for (const path of [folder, dirname(folder)]) {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

function runSync(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('sync', ['-f', folder], { stdio: 'ignore', detached: true });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });
}
