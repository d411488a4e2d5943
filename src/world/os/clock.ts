import type { EventEmitter } from 'node:events';
import type { Clock } from '../contract/world.ts';

export const realClock: Clock = {
  nowMs: () => Date.now(),
  today: () => localDay(Date.now()),
  awakeMs: () => Number(process.hrtime.bigint() / 1_000_000n),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted || ms <= 0) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
    }),
};

const two = (n: number): string => String(n).padStart(2, '0');

/** A moment as a person's clock shows it, with how far that is from UTC: `2026-11-16 03:02:03 +0200`. */
export function localTime(ms: number): string {
  const at = new Date(ms);
  const ahead = -at.getTimezoneOffset();
  const [hours, minutes] = [Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60];
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  return `${day} ${time} ${ahead < 0 ? '-' : '+'}${two(hours)}${two(minutes)}`;
}

/** The time of day alone: `03:02:03`. */
export const clockTime = (ms: number): string =>
  localTime(ms).slice('yyyy-mm-dd '.length, 'yyyy-mm-dd hh:mm:ss'.length);

/** The day of a moment in a person's calendar: `2026-11-16`. */
const localDay = (ms: number): string => localTime(ms).slice(0, 'yyyy-mm-dd'.length);

const UTC = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A sentence of ours, made where no clock is known, with its times as a person's clock shows them. */
export const inLocalTime = (text: string): string => text.replaceAll(UTC, (time) => localTime(Date.parse(time)));

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

/** A signal that aborts with another one, after a time, or when told to. */
interface Bound {
  readonly signal: AbortSignal;
  abort(): void;
  /** Leaves no timer and no listener behind. */
  release(): void;
}

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
