import { describe, expect, it } from 'vitest';
import { createLinger } from './watchdog.ts';

describe('an agent that lingers', () => {
  it('is told by silence after its last word, not by silence alone nor by words alone', async () => {
    const asked: number[] = [];
    let isOver = false;
    let now = 0;
    const linger = createLinger(1000, () => {
      asked.push(now);
      return Promise.resolve(isOver);
    });
    const look = (atMs: number, bytes: number): Promise<boolean> => {
      now = atMs;
      return linger({ atMs, bytes });
    };
    for (const atMs of [0, 500, 900]) expect(await look(atMs, 10)).toBe(false);
    expect(asked).toEqual([]);
    // Silent and not done: asked once, for a silence that goes on says nothing new.
    expect(await look(1000, 10)).toBe(false);
    expect(await look(9000, 10)).toBe(false);
    expect(asked).toEqual([1000]);
    isOver = true;
    for (let atMs = 9500; atMs <= 20_000; atMs += 500) expect(await look(atMs, atMs)).toBe(false);
    expect(await look(20_900, 20_000)).toBe(false);
    expect(await look(21_000, 20_000)).toBe(true);
    expect(asked).toEqual([1000, 21_000]);
  });

  it('did not linger while the machine slept', async () => {
    const linger = createLinger(10_000, () => Promise.resolve(true));
    expect(await linger({ atMs: 0, bytes: 1 })).toBe(false);
    expect(await linger({ atMs: 3_600_000, bytes: 1 })).toBe(false);
    expect(await linger({ atMs: 3_605_000, bytes: 1 })).toBe(true);
  });
});
