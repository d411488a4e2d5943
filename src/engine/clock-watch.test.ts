import { describe, expect, it } from 'vitest';
import { createClockWatch } from './clock-watch.ts';

function stage() {
  let [wallMs, awakeMs] = [1_000_000, 5000];
  const said: string[] = [];
  const clock = {
    nowMs: () => wallMs,
    today: () => '2026-11-16',
    awakeMs: () => awakeMs,
    sleep: () => Promise.resolve(),
  };
  const look = createClockWatch(clock, (text) => said.push(text));
  const pass = (wall: number, awake: number): readonly string[] => {
    wallMs += wall;
    awakeMs += awake;
    look();
    return said.splice(0);
  };
  return { pass };
}

const HOUR_MS = 3_600_000;

describe('a clock and the time awake', () => {
  it('case 70: after eight hours asleep one line says so, once', () => {
    const { pass } = stage();
    expect(pass(1000, 1000)).toEqual([]);
    expect(pass(8 * HOUR_MS, 1000)).toEqual([
      expect.stringMatching(/^the machine slept for 7h59m.*deadlines were extended/),
    ]);
    expect(pass(1000, 1000)).toEqual([]);
  });

  it('case 69: a clock that was set back is told apart, and small corrections are not worth a word', () => {
    const { pass } = stage();
    expect(pass(-2 * HOUR_MS, 1000)).toEqual([expect.stringMatching(/^the clock was set back by 2h00m/)]);
    expect(pass(31_000, 1000)).toEqual([]);
    // Many small ones are a large one.
    expect(pass(31_000, 1000)).toHaveLength(1);
    expect(pass(HOUR_MS, HOUR_MS)).toEqual([]);
  });
});
