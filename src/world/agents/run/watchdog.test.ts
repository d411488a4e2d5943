import { describe, expect, it } from 'vitest';
import { createWatchdog } from './watchdog.ts';
import type { Look } from './watchdog.ts';

const LIMITS = { stallMs: 30 * 60_000, maxTurns: 3, outputMb: 1 };
const look = (atMs: number, more: Partial<Look> = {}): Look => ({
  atMs,
  stdoutBytes: 0,
  stderrBytes: 0,
  turns: 0,
  ...more,
});

describe('createWatchdog', () => {
  it('sees silence that lasts, and forgets it with every byte', () => {
    const watchdog = createWatchdog({ ...LIMITS, stallMs: 10_000 });
    for (let at = 0; at < 10_000; at += 1000) expect(watchdog(look(at))).toBe(null);
    expect(watchdog(look(10_000, { stderrBytes: 1 }))).toBe(null);
    for (let at = 11_000; at < 20_000; at += 1000) expect(watchdog(look(at, { stderrBytes: 1 }))).toBe(null);
    expect(watchdog(look(20_000, { stderrBytes: 1 }))).toEqual({
      how: 'stopped',
      why: 'stalled',
      detail: 'no output for 10s',
    });
  });

  it('does not take our own sleep for silence of the agent', () => {
    const watchdog = createWatchdog(LIMITS);
    watchdog(look(0));
    expect(watchdog(look(8 * 3_600_000))).toBe(null);
    expect(watchdog(look(8 * 3_600_000 + 1000))).toBe(null);
  });

  it('says a set time as it was set', () => {
    const detailOf = (stallMs: number): string | undefined => {
      const watchdog = createWatchdog({ ...LIMITS, stallMs });
      for (let at = 0; ; at += 5000) {
        const stop = watchdog(look(at));
        if (stop !== null) return stop.detail;
      }
    };
    const said = [1000, 45_000, 90_000, 600_000, 1_800_000, 3_600_000, 5_400_000].map(detailOf);
    const times = ['1s', '45s', '1m30s', '10m', '30m', '1h', '1h30m'];
    expect(said).toEqual(times.map((time) => `no output for ${time}`));
  });

  it('takes no notice of silence where it means nothing', () => {
    const watchdog = createWatchdog({ ...LIMITS, stallMs: null });
    for (let at = 0; at < 100 * 3_600_000; at += 60_000) expect(watchdog(look(at))).toBe(null);
  });

  it('sees too many turns and too many bytes', () => {
    const watchdog = createWatchdog(LIMITS);
    expect(watchdog(look(0, { turns: 3, stdoutBytes: 1024 * 1024 }))).toBe(null);
    expect(watchdog(look(1, { turns: 4 }))).toEqual({ how: 'stopped', why: 'turns', detail: 'more than 3 turns' });
    expect(watchdog(look(2, { stdoutBytes: 1024 * 1024, stderrBytes: 1 }))).toEqual({
      how: 'stopped',
      why: 'flood',
      detail: 'printed more than 1 MB',
    });
  });
});
