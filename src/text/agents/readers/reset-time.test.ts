import { describe, expect, it } from 'vitest';
import { fromUnixTime, readResetTime } from './reset-time.ts';

const NOW = Date.UTC(2026, 10, 15, 20, 0, 10);
const at = (day: number, hour: number, minute: number, month = 10, year = 2026): number =>
  Date.UTC(year, month, day, hour, minute);
const APOSTROPHE = 'You’ve hit your usage limit. Upgrade to Pro, visit a page to purchase more credits or try again at';

describe('readResetTime', () => {
  const cases: readonly (readonly [string, number | null])[] = [
    ["You've hit your limit · resets 9:53pm (UTC)", at(15, 21, 53)],
    ["You've hit your 5-hour limit · resets 9:53pm (UTC)", at(15, 21, 53)],
    ["You've hit your session limit · resets 7:53pm (UTC)", at(16, 19, 53)],
    ['5-hour limit reached ∙ resets 9pm', at(15, 21, 0)],
    ["You've hit your weekly limit · resets Nov 18, 8:55pm (UTC)", at(18, 20, 55)],
    ["You've hit your Opus limit · resets Nov 18, 9am (UTC)", at(18, 9, 0)],
    ['Claude AI usage limit reached|1794779607', 1_794_779_607_000],
    [`${APOSTROPHE} 10:06 PM.`, at(15, 22, 6)],
    [`${APOSTROPHE} Nov 18th, 2026 8:08 PM.`, at(18, 20, 8)],
    [`${APOSTROPHE} 12:30 AM.`, at(16, 0, 30)],
    [`${APOSTROPHE} 12:30 PM.`, at(16, 12, 30)],
    ['resets at 21:53', at(15, 21, 53)],
    ['Please try again in 2s.', NOW + 2000],
    ['Rate limited, retry after 35 minutes', NOW + 35 * 60_000],
    // Over: better not told than wrong.
    [`${APOSTROPHE} Nov 14th, 2026 8:08 PM.`, null],
    ['resets Nov 14, 8:55pm (UTC)', null],
    ['Claude AI usage limit reached|1694779607', null],
    ['resets Jan 2, 8am (UTC)', at(2, 8, 0, 0, 2027)],
    // The minute that is going on now is over at its end, not tomorrow.
    ['resets 8:00pm (UTC)', at(15, 20, 1)],
    ['Try again after 3 attempts', null],
    ['resets 25:00', null],
    ['resets 13:00pm', null],
    ['resets Foo 18, 8:55pm (UTC)', null],
    ['You have exhausted your daily quota on this model.', null],
    ['', null],
  ];
  it.each(cases)('%j', (text, wanted) => expect(readResetTime(text, { nowMs: NOW, utcOffsetMin: 0 })).toBe(wanted));

  it('takes a time without a zone as local, one with UTC as it says', () => {
    const moment = { nowMs: NOW, utcOffsetMin: 120 };
    expect(readResetTime('try again at 10:06 PM.', moment)).toBe(at(15, 20, 6));
    expect(readResetTime('try again at 9:06 PM.', moment)).toBe(at(16, 19, 6));
    expect(readResetTime('try again at Nov 18th, 2026 1:08 AM.', moment)).toBe(at(17, 23, 8));
    expect(readResetTime('resets 10:06pm (UTC)', moment)).toBe(at(15, 22, 6));
  });

  it('keeps to the local day west of Greenwich', () => {
    const moment = { nowMs: at(16, 3, 0), utcOffsetMin: -300 };
    expect(readResetTime('try again at 11:30 PM.', moment)).toBe(at(16, 4, 30));
  });
});

describe('fromUnixTime', () => {
  it.each([
    [1_794_779_607, 1_794_779_607_000],
    [1_794_779_607_000, 1_794_779_607_000],
    [0, null],
    [-5, null],
    [1e18, null],
    [1, null],
    // The year 9999 in seconds, which would be 1978 in milliseconds.
    [253_402_300_799, null],
    [null, null],
  ])('%s: %s', (told, wanted) => expect(fromUnixTime(told)).toBe(wanted));
});
