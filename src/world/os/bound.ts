/** A signal that aborts with another one, after a time, or when told to. */
export interface Bound {
  readonly signal: AbortSignal;
  abort(): void;
  /** Leaves no timer and no listener behind. */
  release(): void;
}

const TIMER_MS_MAX = 2 ** 31 - 1;

/** As AbortSignal.any and AbortSignal.timeout together, but released when done: a host lives for thousands of iterations. */
export function createBound(signal: AbortSignal, ms: number): Bound {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, Math.max(1, Math.min(TIMER_MS_MAX, Math.ceil(ms))));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    abort,
    release: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}
