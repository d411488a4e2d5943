import { localDay } from './local-time.ts';
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
