import { setTimeout as sleep } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { processSource } from './process-source.ts';
import type { ProcessEntry } from './process-entry.ts';

const INTERVAL_MS = 100;

let next: Promise<readonly ProcessEntry[]> | null = null;
let takenAt = -INTERVAL_MS;

/**
 * A list of all processes taken after this call. Reading them all costs tens of milliseconds, so callers that ask
 * together share one reading: stopping a hundred loops at once must not freeze the host.
 */
export function takeCensus(): Promise<readonly ProcessEntry[]> {
  next ??= sleep(Math.max(0, takenAt + INTERVAL_MS - performance.now())).then(() => {
    next = null;
    const entries = processSource.list();
    takenAt = performance.now();
    return entries;
  });
  return next;
}
