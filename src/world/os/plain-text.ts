import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

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
