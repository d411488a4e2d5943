import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

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
