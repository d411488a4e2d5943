import { closeSync, constants, mkdirSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemFailure } from '../os/system-failure.ts';

const CALL_BYTES_MAX = 256 * 1024;
const buffer = Buffer.allocUnsafe(CALL_BYTES_MAX);

export interface LogCopier {
  /** Copies what is new, at most 256 KB a call. */
  copy(): void;
  /** Copies all that is still missing. */
  finish(): void;
}

interface LogCopierOptions {
  /** How much is copied in all; then one line says that the log was cut. */
  readonly bytesMax: number;
  /** Where in the source to begin, for one that an earlier host has copied in part. */
  readonly offset?: number;
  /** Makes the folder it is written to, where that is gone. */
  readonly makeFolder?: () => void;
}

/**
 * Follows a growing file and appends what is new to another. A log is a convenience: when it cannot be written, for
 * want of disk or because somebody removed its folder, the bytes stay in the source and the next call tries again.
 */
export function createLogCopier(from: string, to: string, options: LogCopierOptions): LogCopier {
  const { bytesMax, offset = 0, makeFolder = () => void mkdirSync(dirname(to), { recursive: true }) } = options;
  const end = offset + bytesMax;
  let position = offset;
  let cut = false;

  function step(): number {
    const size = statSync(from, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= position || cut) return 0;
    const length = Math.min(size, end, position + CALL_BYTES_MAX) - position;
    const copied = length === 0 ? 0 : append(buffer.subarray(0, read(from, position, length)));
    position += copied;
    if (position < end) return copied;
    if (size > end) {
      append(Buffer.from(`\n[log cut after ${bytesMax} bytes]\n`));
      cut = true;
    }
    return copied;
  }

  /** Opened anew each time, so that a log removed under us comes back. */
  function append(bytes: Buffer): number {
    makeFolder();
    const fd = openLog(to);
    try {
      return writeSync(fd, bytes);
    } finally {
      closeSync(fd);
    }
  }

  function quietly(): number {
    try {
      return step();
    } catch {
      return 0;
    }
  }

  return {
    copy: () => void quietly(),
    finish: () => {
      while (quietly() > 0);
    },
  };
}

function read(file: string, position: number, length: number): number {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return readSync(fd, buffer, 0, length, position);
  } finally {
    closeSync(fd);
  }
}

/** Without waiting: a pipe nobody reads would hold the host up for ever. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a log for appending, readable by its owner only; a link or a pipe planted in its place is refused, not followed. */
export function openLog(file: string): number {
  try {
    return openSync(file, FLAGS, 0o600);
  } catch (error) {
    throw systemFailure(`${file} could not be opened`, error);
  }
}
