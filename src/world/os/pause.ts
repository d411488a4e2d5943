import type { EventEmitter } from 'node:events';

/** Waits for the time to pass, the signal to abort or the child to exit, whichever comes first; leaves no listener. */
export function pause(ms: number, signal?: AbortSignal, child?: EventEmitter | null): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      child?.removeListener('exit', done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, TIMER_MS_MAX));
    signal?.addEventListener('abort', done);
    child?.on('exit', done);
  });
}

/** Timers longer than this fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;
