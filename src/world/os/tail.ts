import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf } from './system-failure.ts';

const NO_FILE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** The end of a file as text, never reading more than the limit; '' when there is no such file. */
export function readTail(file: string, bytesMax: number): string {
  return readTailSince(file, bytesMax, 0);
}

/** As readTail, but nothing from before an offset. */
export function readTailSince(file: string, bytesMax: number, offset: number): string {
  const bytes = readEnd(file, bytesMax, offset);
  // A cut may fall inside a character: its continuation bytes are dropped, at most three.
  let start = 0;
  while (start < 3 && bytes.cut && (bytes.data[start] ?? 0) >> 6 === 0b10) start += 1;
  return bytes.data.toString('utf8', start);
}

function readEnd(file: string, bytesMax: number, offset: number): { data: Buffer; cut: boolean } {
  let fd: number;
  try {
    // Without blocking, so that a pipe in place of the file cannot hold us up.
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (NO_FILE.has(errnoOf(error) ?? '')) return { data: Buffer.alloc(0), cut: false };
    throw error;
  }
  try {
    const stat = fstatSync(fd);
    const size = stat.isFile() ? stat.size : 0;
    const from = Math.max(offset, size - bytesMax);
    const data = Buffer.alloc(Math.max(0, size - from));
    let read = 0;
    for (let count = -1; count !== 0 && read < data.length; read += count) {
      count = readSync(fd, data, read, data.length - read, from + read);
    }
    return { data: data.subarray(0, read), cut: from > offset };
  } finally {
    closeSync(fd);
  }
}
