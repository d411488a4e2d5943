import { describe, expect, it } from 'vitest';
import { readDurationMs } from './duration.ts';

describe('readDurationMs', () => {
  it.each([
    [30, 30_000],
    [0.5, 500],
    ['500ms', 500],
    ['5s', 5000],
    ['2m', 120_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['1h2m3s4ms', 3_723_004],
    ['596h', 596 * 3_600_000],
  ])('reads %j as %d ms', (written, ms) => {
    expect(readDurationMs(written)).toBe(ms);
  });

  it.each([
    0,
    -5,
    '0s',
    '',
    '10',
    's',
    '-5s',
    '5 s',
    '5sec',
    '30m1h',
    '5s5s',
    '597h',
    1e12,
    Number.NaN,
    0.0001,
    true,
    null,
    5n,
  ])('refuses %s', (written) => {
    expect(readDurationMs(written)).toBeNull();
  });
});
