import { describe, expect, it } from 'vitest';
import { TRAIN } from '../../../test/sim/tale.ts';
import type { Pace } from '../model/model.ts';
import { EMPTY_STATE } from '../model/model.ts';
import { sawRun, slotsOf, timeoutFrom, usualMs } from './pace.ts';

const NONE = EMPTY_STATE.pace;
const pace = (aloneMs: readonly number[], besideMs: readonly number[] = []): Pace => ({ aloneMs, besideMs });
const auto = (cores: number) => ({ ...TRAIN, gateSlots: 'auto', cores }) as const;

describe('slotsOf', () => {
  it('is what was told, whatever was measured', () => {
    expect(slotsOf(pace([100, 100], [900, 900]), { ...TRAIN, gateSlots: 5 })).toBe(5);
  });

  it('begins with half the cores, at least two and at most four', () => {
    expect([1, 2, 4, 6, 8, 64].map((cores) => slotsOf(NONE, auto(cores)))).toEqual([2, 2, 2, 3, 4, 4]);
  });

  it('becomes one when two gates are seen to slow each other, and not by one run alone', () => {
    expect(slotsOf(pace([100, 100], [200]), auto(8))).toBe(4);
    expect(slotsOf(pace([100], [200, 200]), auto(8))).toBe(4);
    expect(slotsOf(pace([100, 100], [170, 170]), auto(8))).toBe(1);
    expect(slotsOf(pace([100, 100], [150, 150]), auto(8))).toBe(4);
  });

  it('goes by the middle: one slow run changes nothing', () => {
    expect(slotsOf(pace([100, 100, 100], [110, 9000, 110]), auto(8))).toBe(4);
  });
});

describe('sawRun', () => {
  it('keeps alone and beside apart, and not for ever', () => {
    expect(sawRun(sawRun(NONE, 1, false), 2, true)).toEqual(pace([1], [2]));
    let long = NONE;
    for (let run = 0; run < 100; run += 1) long = sawRun(long, run, false);
    expect(long.aloneMs).toHaveLength(40);
    expect(long.aloneMs.at(-1)).toBe(99);
  });
});

describe('usualMs', () => {
  it('is the middle of all runs', () => {
    expect(usualMs(NONE)).toBeNull();
    expect(usualMs(pace([5, 1], [9]))).toBe(5);
  });
});

describe('timeoutFrom', () => {
  it('is nothing before a few runs were seen', () => {
    expect(timeoutFrom(NONE)).toBeNull();
    expect(timeoutFrom(pace([100_000]))).toBeNull();
    expect(timeoutFrom(pace([100_000], [100_000]))).toBe(300_000);
  });

  it('is three times the slow ones, and never short', () => {
    expect(timeoutFrom(pace([10, 20]))).toBe(60_000);
    expect(timeoutFrom(pace([30_000], [50_000, 40_000]))).toBe(150_000);
    const many = Array.from({ length: 40 }, () => 40_000);
    expect(timeoutFrom(pace([...many.slice(1), 900_000]))).toBe(120_000);
  });
});
