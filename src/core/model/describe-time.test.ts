import { describe, expect, it } from 'vitest';
import { describeMs, isoTime } from './describe-time.ts';

describe('isoTime', () => {
  it('says what Date says', () => {
    for (let ms = 0; ms < 4_000_000_000_000; ms += 7_777_777_777)
      expect(isoTime(ms)).toBe(new Date(ms).toISOString().replace(/\.\d+Z/, 'Z'));
    expect(isoTime(951_782_400_000)).toBe('2000-02-29T00:00:00Z');
  });
});

describe('describeMs', () => {
  it('speaks of seconds, minutes and hours', () => {
    expect([describeMs(1500), describeMs(59_000), describeMs(61_000), describeMs(3_660_000)]).toEqual([
      '1.5s',
      '59s',
      '1m01s',
      '1h01m',
    ]);
  });
});
