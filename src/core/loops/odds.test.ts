import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Odds } from '../model/model.ts';
import { EMPTY_STATE } from '../model/model.ts';
import { flakeOf, hazardOf, sawGreen, sawRed, sawVerdict } from './odds.ts';

const START = EMPTY_STATE.odds;
const after = (count: number, change: (odds: Odds) => Odds): Odds => {
  let odds = START;
  for (let at = 0; at < count; at += 1) odds = change(odds);
  return odds;
};

describe('odds', () => {
  it('begin with few red items and gates that rarely lie', () => {
    expect(hazardOf(START)).toBeCloseTo(0.0164, 3);
    expect(flakeOf(START)).toBeCloseTo(0.0033, 3);
  });

  it('go up with each red item and down with each green one', () => {
    expect(hazardOf(sawRed(START))).toBeGreaterThan(hazardOf(START));
    expect(hazardOf(sawGreen(START, 3))).toBeLessThan(hazardOf(sawGreen(START, 1)));
    expect(flakeOf(sawVerdict(START, 'flaky'))).toBeGreaterThan(flakeOf(START));
    expect(flakeOf(sawVerdict(START, 'firm'))).toBeLessThan(flakeOf(START));
  });

  it('come near what is really so', () => {
    let odds = START;
    for (let at = 0; at < 2000; at += 1) odds = at % 4 === 0 ? sawRed(odds) : sawGreen(odds, 1);
    expect(hazardOf(odds)).toBeGreaterThan(0.17);
    expect(hazardOf(odds)).toBeLessThan(0.33);
  });

  it('forget: what was long ago counts less than what is now', () => {
    const bad = after(200, sawRed);
    const good = after(400, (odds) => sawGreen(odds, 1));
    expect(hazardOf(bad)).toBeGreaterThan(0.8);
    let odds = bad;
    for (let at = 0; at < 400; at += 1) odds = sawGreen(odds, 1);
    expect(hazardOf(odds)).toBeLessThan(0.1);
    expect(odds.green).toBeCloseTo(good.green, 0);
  });

  it('landing several at once counts as much as one after the other', () => {
    const one = after(5, (odds) => sawGreen(odds, 1));
    const all = sawGreen(START, 5);
    expect(Math.abs(hazardOf(one) - hazardOf(all))).toBeLessThan(0.001);
  });

  it('are chances, whatever happens', () => {
    const step = fc.constantFrom<(odds: Odds) => Odds>(
      sawRed,
      (odds) => sawGreen(odds, 7),
      (odds) => sawVerdict(odds, 'flaky'),
      (odds) => sawVerdict(odds, 'firm'),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const odds = steps.reduce((so, change) => change(so), START);
        for (const chance of [hazardOf(odds), flakeOf(odds)]) {
          expect(chance).toBeGreaterThan(0);
          expect(chance).toBeLessThan(1);
        }
      }),
    );
  });
});
