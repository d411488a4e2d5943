import { setTimeout as sleep } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { processSource } from './process-source.ts';
import type { ProcessEntry } from './process-entry.ts';

/** Listing all processes may take at most a fifth of our time, however many there are. */
const REST_FACTOR = 4;

let next: Promise<readonly ProcessEntry[]> | null = null;
let restUntil = 0;

/**
 * A list of all processes taken after this call. On a crowded machine reading them all costs tens of milliseconds, so callers
 * that ask together share one reading: stopping a hundred loops at once must not freeze the host.
 */
export function takeCensus(): Promise<readonly ProcessEntry[]> {
  next ??= sleep(Math.max(0, restUntil - performance.now())).then(() => {
    next = null;
    const from = performance.now();
    const entries = processSource.list();
    const to = performance.now();
    restUntil = to + REST_FACTOR * (to - from);
    return entries;
  });
  return next;
}
