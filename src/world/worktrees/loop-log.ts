import { closeSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { localTime } from '../os/clock.ts';
import { createLogCopier, openLog } from '../processes/copy-log.ts';
import { ensureRalphFolderIn } from '../git/run/state-places.ts';
import type { LogCopier } from '../processes/copy-log.ts';

const BYTES_MAX = 50 * 1024 * 1024;

/** The log people follow with tail: what an agent printed, and what we have to say about it. */
export interface LoopLog {
  note(text: string): void;
  /** Appends what a file holds from there on. */
  append(file: string, offset: number): void;
  /** Appends what the logs of a run folder get. */
  follow(dir: string): LogCopier;
}

export function openLoopLog(file: string, nowMs: () => number): LoopLog {
  // Never without what hides it from git: an agent in place may have cleaned its checkout, and goes on to commit all there is.
  const makeFolder = (): void => ensureRalphFolderIn(dirname(dirname(dirname(file))));
  return {
    note: (text) => {
      try {
        const fd = openLog(file);
        writeSync(fd, `[ralph ${localTime(nowMs())}] ${text}\n`);
        closeSync(fd);
      } catch {
        // Somebody removed .ralph/logs: the run folder still holds everything.
      }
    },
    append: (from, offset) => createLogCopier(from, file, { bytesMax: BYTES_MAX, offset, makeFolder }).finish(),
    follow: (dir) => {
      const copiers = ['stdout.log', 'stderr.log'].map((name) =>
        createLogCopier(join(dir, name), file, { bytesMax: BYTES_MAX, makeFolder }),
      );
      return {
        copy: () => copiers.forEach((copier) => copier.copy()),
        finish: () => copiers.forEach((copier) => copier.finish()),
      };
    },
  };
}
