import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choosePrefixes, splitBefore } from './tick.ts';

/** What a choice is expected to land at once: each part counts if everything up to its end is green. */
const worth = (prefixes: readonly number[], hazard: number): number =>
  prefixes.reduce((sum, end, at) => sum + (end - (prefixes[at - 1] ?? 0)) * (1 - hazard) ** end, 0);

/** Every ascending choice of exactly so many prefixes. */
function choices(cars: number, points: number, from = 1): readonly (readonly number[])[] {
  if (points === 0) return [[]];
  const all: (readonly number[])[] = [];
  for (let first = from; first <= cars; first += 1)
    for (const rest of choices(cars, points - 1, first + 1)) all.push([first, ...rest]);
  return all;
}

const bestWorth = (cars: number, points: number, hazard: number): number =>
  Math.max(...choices(cars, points).map((choice) => worth(choice, hazard)));

const CARS = fc.integer({ min: 1, max: 8 });
const SLOTS = fc.integer({ min: 1, max: 4 });
const HAZARD = fc.double({ min: 0.001, max: 0.9, noNaN: true });

describe('choosePrefixes', () => {
  it('gives ascending prefixes within the train, at most one for each slot', () => {
    fc.assert(
      fc.property(fc.nat(64), fc.nat(6), HAZARD, (cars, slots, hazard) => {
        const chosen = choosePrefixes(cars, slots, hazard);
        expect(chosen.length).toBeLessThanOrEqual(slots);
        expect(chosen.length > 0).toBe(cars > 0 && slots > 0);
        expect(chosen.every((prefix, at) => prefix > (chosen[at - 1] ?? 0) && prefix <= cars)).toBe(true);
      }),
    );
  });

  it('is worth as much as the best of all choices of its size', () => {
    fc.assert(
      fc.property(CARS, SLOTS, HAZARD, (cars, slots, hazard) => {
        fc.pre(slots === 1 || hazard * slots < 0.6);
        const chosen = choosePrefixes(cars, slots, hazard);
        expect(worth(chosen, hazard)).toBeCloseTo(bestWorth(cars, chosen.length, hazard), 9);
      }),
    );
  });

  it('takes another run exactly while that lands half an item more', () => {
    fc.assert(
      fc.property(CARS, SLOTS, HAZARD, (cars, slots, hazard) => {
        fc.pre(slots === 1 || hazard * slots < 0.6);
        const best = (points: number): number => bestWorth(cars, points, hazard);
        let points = 1;
        while (points < Math.min(slots, cars) && best(points + 1) - best(points) >= 0.5) points += 1;
        expect(choosePrefixes(cars, slots, hazard)).toHaveLength(points);
      }),
    );
  });

  it('tests all at once where nearly everything is green, and each by itself where much is red', () => {
    expect(choosePrefixes(8, 1, 0.01)).toEqual([8]);
    expect(choosePrefixes(8, 3, 0.01)).toEqual([8]);
    expect(choosePrefixes(8, 3, 0.3)).toEqual([1, 2, 3]);
    expect(choosePrefixes(2, 3, 0.3)).toEqual([1, 2]);
    expect(choosePrefixes(50, 1, 0.1)).toHaveLength(1);
    expect(choosePrefixes(50, 1, 0.1)[0]).toBeLessThan(15);
  });
});

describe('splitBefore', () => {
  it('cuts what is before a red prefix into nearly equal parts', () => {
    expect(splitBefore(8, 1)).toEqual([4]);
    expect(splitBefore(9, 2)).toEqual([3, 6]);
    expect(splitBefore(4, 9)).toEqual([1, 2, 3]);
    expect(splitBefore(1, 3)).toEqual([]);
    expect(splitBefore(5, 0)).toEqual([]);
  });

  it('always makes the interval smaller, never touches the red prefix, and wastes no slot', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 64 }), fc.integer({ min: 1, max: 8 }), (red, slots) => {
        const cuts = splitBefore(red, slots);
        expect(cuts).toHaveLength(Math.min(slots, red - 1));
        expect(cuts.every((cut, at) => cut > (cuts[at - 1] ?? 0) && cut < red)).toBe(true);
        const parts = [...cuts, red].map((end, at) => end - (cuts[at - 1] ?? 0));
        expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
