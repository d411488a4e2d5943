import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

export type GivenText =
  | { readonly text: string }
  | { readonly fault: 'missing' | 'no-file' | 'too-large' | 'not-text' | 'unreadable' };

/** The text of a file that a person named, or of standard input (null). Waits for no pipe but that one. */
export function readGivenText(path: string | null, bytesMax: number): GivenText {
  try {
    const fd = path === null ? 0 : openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (path !== null && !fstatSync(fd).isFile()) return { fault: 'no-file' };
      const bytes = readUpTo(fd, bytesMax + 1);
      if (bytes.length > bytesMax) return { fault: 'too-large' };
      const text = asText(bytes);
      return text === null ? { fault: 'not-text' } : { text };
    } finally {
      if (fd !== 0) closeSync(fd);
    }
  } catch (error) {
    return { fault: (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'unreadable' };
  }
}

function readUpTo(fd: number, bytesMax: number): Buffer {
  const buffer = Buffer.alloc(bytesMax);
  let length = 0;
  for (;;) {
    const read = readSync(fd, buffer, length, bytesMax - length, null);
    length += read;
    if (read === 0 || length === bytesMax) return buffer.subarray(0, length);
  }
}

/** Null: an agent would be given something that nobody wrote. */
function asText(bytes: Buffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
