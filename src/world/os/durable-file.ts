import { closeSync, constants, fsync as fsyncCallback, openSync, rmSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

/** The one slow call: everything else here is quicker done than handed to a thread. */
const fsync = promisify(fsyncCallback);

/** Writes a new file and flushes it to the disk; leaves nothing behind when it fails. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    try {
      writeWhole(fd, Buffer.from(text));
      await fsync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    removeQuietly(path);
    throw error;
  }
}

/** A nearly full disk takes a part of a write and refuses only the next one. */
function writeWhole(fd: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written);
}

/** Makes names that were added to or removed from a directory survive a power cut. */
export async function syncDirectory(dir: string): Promise<void> {
  const fd = openSync(dir, constants.O_RDONLY);
  try {
    await fsync(fd);
  } finally {
    closeSync(fd);
  }
}

/** For files whose staying behind does no harm and is swept later: temporaries by the next open, covered records by the next compaction. */
export function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Swept later.
  }
}
