import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogCopier } from '../processes/copy-log.ts';
import type { LogCopier } from '../processes/copy-log.ts';

const BYTES_MAX = 50 * 1024 * 1024;

/** The log people follow with tail: what an agent printed, and what we have to say about it. */
export interface LoopLog {
  note(text: string): void;
  /** Appends what the logs of a run folder get. */
  follow(dir: string): LogCopier;
}

export function openLoopLog(file: string, nowMs: () => number): LoopLog {
  return {
    note: (text) => {
      try {
        appendFileSync(file, `[ralph ${new Date(nowMs()).toISOString()}] ${text}\n`);
      } catch {
        // Somebody removed .ralph/logs: the run folder still holds everything.
      }
    },
    follow: (dir) => {
      const copiers = ['stdout.log', 'stderr.log'].map((name) =>
        createLogCopier(join(dir, name), file, { bytesMax: BYTES_MAX }),
      );
      return {
        copy: () => copiers.forEach((copier) => copier.copy()),
        finish: () => copiers.forEach((copier) => copier.finish()),
      };
    },
  };
}
