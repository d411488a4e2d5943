import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  chmodSync,
  lstatSync,
  readdirSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { readIfThere } from './read-if-there.ts';
import { errnoOf, systemFailure } from './system-failure.ts';

/**
 * Whole or not at all: readers see the old file or the new one. `isDurable`: also after a power cut, and it is on the disk when this
 * returns. Never through a link.
 */
export function replaceFile(
  file: string,
  content: string | Buffer,
  { mode = 0o600, isDurable = false }: { readonly mode?: number; readonly isDurable?: boolean } = {},
): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    // Somebody who had our number, as the first process of a container always has, may have died before the rename.
    rmSync(draft, { force: true });
    const handle = openSync(draft, 'wx', mode);
    try {
      // Unlike writeSync, it goes on where a nearly full disk takes only a part.
      writeFileSync(handle, content);
      if (isDurable) fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, file);
    if (isDurable) syncFolder(dirname(file));
  } catch (error) {
    removeQuietly(draft);
    throw error;
  }
}

/** The same for a file that anybody may read, with the folders above it. */
export function placeFile(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  replaceFile(file, content, { mode: 0o644 });
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function makePrivateFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw systemFailure(`${dir} could not be made`, error);
  }
}

/** Whole or not at all, and readable by its owner only. */
export function writePrivately(file: string, text: string): void {
  try {
    replaceFile(file, text);
  } catch (error) {
    throw systemFailure(`${file} could not be written`, error);
  }
}

export function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Where nothing can be removed, nothing was made.
  }
}

/** The object in a file; null when there is none, or what is there is no JSON. */
export function readJsonFile(file: string): object | null {
  try {
    const value: unknown = JSON.parse(readIfThere(file)?.toString('utf8') ?? 'null');
    return typeof value === 'object' ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The text of a file somebody may have put there; null where it is none, a link, something else than a file, or too large. */
export function readPlainFile(file: string, bytesMax: number): string | null {
  try {
    // Without blocking, so that a pipe in place of the file cannot hold us up.
    const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(handle);
      return stat.isFile() && stat.size <= bytesMax ? readFileSync(handle, 'utf8') : null;
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

const LARGEST_TEXT_BYTES = 1_048_576;

/** The text of a plain file a person named or left here; null: there is none. Never waits, as for a named pipe. */
export function readPlainText(file: string): { readonly text: string } | { readonly fault: string } | null {
  let handle: number | null = null;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = fstatSync(handle);
    if (!found.isFile()) return { fault: 'is not a plain file' };
    if (found.size > LARGEST_TEXT_BYTES) return { fault: 'is larger than 1 MB' };
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(handle)) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    return {
      fault:
        error instanceof TypeError && code !== 'ERR_INVALID_ARG_VALUE'
          ? 'is not UTF-8 text'
          : `cannot be read: ${code ?? 'no reason'}`,
    };
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

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
