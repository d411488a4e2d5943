import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

const PIECE_BYTES = 256 * 1024;
const NEWLINE = 0x0a;
/** Room for the line that tells of the cut. */
const NOTE_BYTES_MAX = 100;

/**
 * Keeps a quarter from the beginning and three from the end of a log that is too long. A log is a convenience: what
 * cannot be trimmed, for want of disk, stays as it is.
 */
export async function trimLog(file: string, bytesMax: number): Promise<void> {
  // Another host may trim the same file: each in a draft of its own, and sizes are of the file that was opened.
  const draft = `${file}.trimmed.${process.pid}`;
  try {
    const from = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await from.stat();
      if (size <= bytesMax) return;
      await writeTrimmed(from, draft, size, bytesMax - NOTE_BYTES_MAX);
    } finally {
      await from.close();
    }
    await rename(draft, file);
  } catch {
    await rm(draft, { force: true }).catch(() => {});
  }
}

async function writeTrimmed(from: FileHandle, draft: string, size: number, keep: number): Promise<void> {
  const to = await open(draft, 'w', 0o600);
  try {
    const headMax = Math.floor(keep / 4);
    const tailMin = size - (keep - headMax);
    const head = (await lastLineEnd(from, headMax)) ?? headMax;
    const tail = (await firstLineStart(from, tailMin, size)) ?? tailMin;
    await copy(from, to, 0, head);
    const isOpen = head > 0 && (await byteAt(from, head - 1)) !== NEWLINE;
    await to.write(`${isOpen ? '\n' : ''}[ralph cut ${tail - head} bytes here]\n`);
    await copy(from, to, tail, size);
  } finally {
    await to.close();
  }
}

async function copy(from: FileHandle, to: FileHandle, start: number, end: number): Promise<void> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (let at = start; at < end;) {
    const { bytesRead } = await from.read(piece, 0, Math.min(PIECE_BYTES, end - at), at);
    if (bytesRead === 0) return;
    for (let written = 0; written < bytesRead;) {
      written += (await to.write(piece, written, bytesRead - written)).bytesWritten;
    }
    at += bytesRead;
  }
}

/** Where the last whole line before an offset ends; null: no line ends nearby. */
async function lastLineEnd(from: FileHandle, before: number): Promise<number | null> {
  const start = Math.max(0, before - PIECE_BYTES);
  const at = (await bytesAt(from, start, before - start)).lastIndexOf(NEWLINE);
  return at === -1 ? null : start + at + 1;
}

/** Where the first whole line after an offset begins; null: none begins nearby. */
async function firstLineStart(from: FileHandle, after: number, size: number): Promise<number | null> {
  const at = (await bytesAt(from, after, Math.min(PIECE_BYTES, size - after))).indexOf(NEWLINE);
  return at === -1 || after + at + 1 === size ? null : after + at + 1;
}

async function bytesAt(from: FileHandle, start: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await from.read(Buffer.alloc(length), 0, length, start);
  return buffer.subarray(0, bytesRead);
}

const byteAt = async (from: FileHandle, at: number): Promise<number | undefined> => (await bytesAt(from, at, 1))[0];
