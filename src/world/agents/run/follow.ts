import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errnoOf, systemFailure } from '../../os/system-failure.ts';
import { createLineSplitter } from './split-lines.ts';

const PIECE_BYTES = 256 * 1024;
/** How much is read before others get a turn of the event loop: a few tens of milliseconds of parsing. */
const TURN_BYTES_MAX = 2 * 1024 * 1024;
/** It was taken away, or something else stands in its place: then nothing was said. */
const NO_FILE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP']);
const piece = Buffer.allocUnsafe(PIECE_BYTES);

export interface Follower {
  /** Reads what the file holds by now, or until told to leave the rest; what is added meanwhile waits for the next call. */
  advance(signal?: AbortSignal): Promise<void>;
  /** Reads the rest of a file that grows no more. */
  finish(): Promise<void>;
  /** How many lines were too long to be read. */
  skipped(): number;
}

/** Reads a growing file line by line, in bounded memory however fast it grows and however long its lines are. */
export function createFollower(file: string, onLine: (line: string) => void): Follower {
  const lines = createLineSplitter(onLine);
  let position = 0;

  /** Opened anew each time: a hundred loops hold no file, and one that is out of handles reads later. */
  function readSome(): boolean {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const end = Math.min(fstatSync(fd).size, position + TURN_BYTES_MAX);
      for (let count = -1; count !== 0 && position < end; position += count) {
        count = readSync(fd, piece, 0, Math.min(PIECE_BYTES, end - position), position);
        lines.take(piece.subarray(0, count));
      }
      return position < fstatSync(fd).size;
    } finally {
      closeSync(fd);
    }
  }

  async function readTo(end: number, signal?: AbortSignal): Promise<void> {
    while (position < end && signal?.aborted !== true && readSome()) await nextTurn();
  }

  return {
    advance: async (signal) => {
      try {
        await readTo(statSync(file).size, signal);
      } catch (error) {
        if (errnoOf(error) === null) throw error;
      }
    },
    finish: async () => {
      try {
        await readTo(Infinity);
      } catch (error) {
        const errno = errnoOf(error);
        if (errno === null) throw error;
        if (!NO_FILE.has(errno)) throw systemFailure(`${file} could not be read`, error);
      }
      lines.finish();
    },
    skipped: () => lines.skipped(),
  };
}
