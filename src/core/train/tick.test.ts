import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PrefixFacts, Tick, TrainSnapshot } from './tick.ts';
import { tick } from './tick.ts';

const UNKNOWN: PrefixFacts = { isGreen: false, reds: 0, isRunning: false };
const GREEN: PrefixFacts = { ...UNKNOWN, isGreen: true };
const RUNNING: PrefixFacts = { ...UNKNOWN, isRunning: true };
const red = (reds = 1): PrefixFacts => ({ ...UNKNOWN, reds });

const train = (cars: readonly PrefixFacts[], more: Partial<TrainSnapshot> = {}): TrainSnapshot => ({
  cars,
  base: UNKNOWN,
  slots: 1,
  hazard: 0.02,
  flake: 0.01,
  flakeRetries: 0,
  ...more,
});

const FACTS = fc.record<PrefixFacts>({
  isGreen: fc.boolean(),
  reds: fc.nat(3),
  isRunning: fc.boolean(),
});
const CHANCE = fc.double({ min: 0.001, max: 0.9, noNaN: true });
const SNAPSHOT = fc.record<TrainSnapshot>({
  cars: fc.array(FACTS, { minLength: 1, maxLength: 10 }),
  base: FACTS,
  slots: fc.integer({ min: 1, max: 5 }),
  hazard: CHANCE,
  flake: CHANCE,
  flakeRetries: fc.constantFrom(0, 1, 3, 'auto' as const),
});

describe('tick', () => {
  it('lands the longest green prefix, also behind a red one', () => {
    expect(tick(train([GREEN, GREEN, UNKNOWN]))).toEqual({ do: 'land', prefix: 2 });
    expect(tick(train([red(), GREEN, red()]))).toEqual({ do: 'land', prefix: 2 });
  });

  it('tests the whole train first, then half of what is before a red prefix', () => {
    expect(tick(train([UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN]))).toEqual({ do: 'test', prefixes: [4] });
    expect(tick(train([UNKNOWN, UNKNOWN, UNKNOWN, red()]))).toEqual({ do: 'test', prefixes: [2] });
    expect(tick(train([UNKNOWN, red(), UNKNOWN, red()]))).toEqual({ do: 'test', prefixes: [1] });
  });

  it('keeps what runs, and with a slot to spare also what runs behind a red one', () => {
    expect(tick(train([UNKNOWN, RUNNING, UNKNOWN]))).toEqual({ do: 'test', prefixes: [2] });
    const cars = [UNKNOWN, UNKNOWN, red(), RUNNING];
    expect(tick(train(cars, { slots: 1 }))).toEqual({ do: 'test', prefixes: [2] });
    expect(tick(train(cars, { slots: 3 }))).toEqual({ do: 'test', prefixes: [1, 2, 4] });
  });

  it('runs a red prefix again instead of searching where a flake is likely', () => {
    const cars = [UNKNOWN, UNKNOWN, UNKNOWN, red()];
    expect(tick(train(cars, { flake: 0.3 }))).toEqual({ do: 'test', prefixes: [4] });
    expect(tick(train([...cars.slice(0, 3), red(2)], { flake: 0.3 }))).toEqual({ do: 'test', prefixes: [2] });
  });

  it('blames the first car only on a green base, and the base only when it was red as well', () => {
    expect(tick(train([red(), UNKNOWN]))).toEqual({ do: 'test', prefixes: [0] });
    expect(tick(train([red(), UNKNOWN], { base: GREEN }))).toEqual({ do: 'eject' });
    expect(tick(train([red(), UNKNOWN], { base: red() }))).toEqual({ do: 'blame-base' });
    expect(tick(train([red(2)], { base: red(), flakeRetries: 1 }))).toEqual({ do: 'test', prefixes: [0] });
    expect(tick(train([red(2)], { base: red(2), flakeRetries: 1 }))).toEqual({ do: 'blame-base' });
  });

  it('runs the first car as often again as told', () => {
    const at = (reds: number): Tick => tick(train([red(reds)], { base: GREEN, flakeRetries: 2 }));
    expect([at(1), at(2), at(3)]).toEqual([
      { do: 'test', prefixes: [1] },
      { do: 'test', prefixes: [1] },
      { do: 'eject' },
    ]);
  });

  it('left to itself never blames upon one red run, lets other red runs speak too, and ends', () => {
    const auto = { base: GREEN, flakeRetries: 'auto' } as const;
    expect(tick(train([red(1)], auto)).do).toBe('test');
    expect(tick(train([red(1), red(1)], auto)).do).toBe('eject');
    expect(tick(train([red(2)], { ...auto, flake: 0.4 })).do).toBe('test');
    expect(tick(train([red(6)], { ...auto, flake: 0.9, hazard: 0.001 })).do).toBe('eject');
  });
});

describe('tick, whatever is known', () => {
  it('lands only a green prefix, and the longest one that may', () => {
    fc.assert(
      fc.property(SNAPSHOT, (snapshot) => {
        const next = tick(snapshot);
        const landable = snapshot.cars.flatMap((car, at) => (car.isGreen ? [at + 1] : []));
        if (next.do === 'land') expect(next.prefix).toBe(Math.max(...landable));
        else expect(landable).toEqual([]);
      }),
    );
  });

  it('ejects only with a green base and more red runs than retries', () => {
    fc.assert(
      fc.property(SNAPSHOT, (snapshot) => {
        const next = tick(snapshot);
        const own = snapshot.cars[0]?.reds ?? 0;
        if (next.do !== 'eject' && next.do !== 'blame-base') return;
        expect(snapshot.cars[0]?.isGreen).toBe(false);
        expect(next.do === 'eject').toBe(snapshot.base.isGreen);
        if (next.do === 'blame-base') expect(snapshot.base.reds).toBeGreaterThan(0);
        const all = snapshot.cars.reduce((sum, car) => sum + car.reds, 0);
        expect(snapshot.flakeRetries === 'auto' ? Math.min(own, all - 1) : own - snapshot.flakeRetries).toBeGreaterThan(
          0,
        );
      }),
    );
  });

  it('tests prefixes within the train, on no more than its slots, none of them twice or known to be green', () => {
    fc.assert(
      fc.property(SNAPSHOT, (snapshot) => {
        const next = tick(snapshot);
        if (next.do !== 'test') return;
        const { prefixes } = next;
        expect(prefixes.length).toBeGreaterThan(0);
        expect(prefixes.length).toBeLessThanOrEqual(snapshot.slots);
        expect(new Set(prefixes).size).toBe(prefixes.length);
        for (const prefix of prefixes) {
          expect(prefix).toBeGreaterThanOrEqual(0);
          expect(prefix).toBeLessThanOrEqual(snapshot.cars.length);
          expect((prefix === 0 ? snapshot.base : snapshot.cars[prefix - 1]!).isGreen).toBe(false);
        }
      }),
    );
  });
});

interface Outcome {
  readonly landed: readonly number[];
  readonly ejected: readonly number[];
  readonly runs: number;
}

/** Drives trains of these cars until none is left. `isGreen` is the truth about a set of cars on top of each other. */
function drain(
  count: number,
  more: Partial<TrainSnapshot>,
  isGreen: (cars: readonly number[]) => boolean,
  lies: () => boolean = () => false,
): Outcome {
  let base: readonly number[] = [];
  let waiting = Array.from({ length: count }, (_, index) => index);
  let reds = new Map<string, number>();
  const greens = new Set<string>(['']);
  const ejected: number[] = [];
  let runs = 0;
  const under = (prefix: number): readonly number[] => [...base, ...waiting.slice(0, prefix)];
  const facts = (prefix: number): PrefixFacts => {
    const key = under(prefix).join();
    return { isGreen: greens.has(key), reds: reds.get(key) ?? 0, isRunning: false };
  };
  while (waiting.length > 0) {
    if (runs > 400 * count) throw new Error('the train never drains');
    const next = tick(
      train(
        waiting.map((_, at) => facts(at + 1)),
        { ...more, base: facts(0) },
      ),
    );
    if (next.do === 'land') {
      base = under(next.prefix);
      waiting = waiting.slice(next.prefix);
    } else if (next.do === 'eject') {
      ejected.push(waiting[0]!);
      waiting = waiting.slice(1);
      reds = new Map();
    } else if (next.do === 'blame-base') throw new Error('the base is green');
    else
      for (const prefix of next.prefixes) {
        runs += 1;
        const key = under(prefix).join();
        if (isGreen(under(prefix)) && !lies()) greens.add(key);
        else reds.set(key, (reds.get(key) ?? 0) + 1);
      }
  }
  return { landed: base, ejected, runs };
}

const WAYS = fc.record({
  slots: fc.integer({ min: 1, max: 4 }),
  hazard: CHANCE,
  flake: fc.double({ min: 0.001, max: 0.5, noNaN: true }),
  flakeRetries: fc.constantFrom(0, 1, 2, 'auto' as const),
});

describe('a train', () => {
  it('drains: the good land and the bad, and only they, are ejected', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), WAYS, (bad, ways) => {
        const { landed, ejected } = drain(bad.length, ways, (cars) => cars.every((car) => !bad[car]));
        expect(ejected).toEqual(bad.flatMap((isBad, car) => (isBad ? [car] : [])));
        expect(landed).toEqual(bad.flatMap((isBad, car) => (isBad ? [] : [car])));
      }),
    );
  });

  it('with cars that are red only together ejects the later one of each pair', () => {
    const pairs = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 4 });
    fc.assert(
      fc.property(pairs, WAYS, (clashing, ways) => {
        const isGreen = (cars: readonly number[]): boolean =>
          clashing.every(([a, b]) => a === b || !cars.includes(a) || !cars.includes(b));
        const { landed, ejected } = drain(10, ways, isGreen);
        expect(isGreen(landed)).toBe(true);
        expect([...landed, ...ejected].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, car) => car));
        for (const car of ejected) expect(isGreen([...landed.filter((one) => one < car), car])).toBe(false);
      }),
    );
  });

  it('lands what a later car mends', () => {
    const isGreen = (cars: readonly number[]): boolean => !cars.includes(0) || cars.includes(1);
    expect(drain(3, {}, isGreen)).toMatchObject({ landed: [0, 1, 2], ejected: [] });
  });

  it('drains however often the gates lie, and lands every good car that was not lied about', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }), WAYS, (lies, ways) => {
        let at = 0;
        const { landed, ejected } = drain(
          6,
          ways,
          () => true,
          () => lies[at++] ?? false,
        );
        expect(landed.length + ejected.length).toBe(6);
      }),
    );
  });

  it('of many good cars costs far fewer runs than cars', () => {
    expect(drain(32, { hazard: 0.01 }, () => true).runs).toBeLessThanOrEqual(2);
    const one = drain(32, { hazard: 0.02 }, (cars) => !cars.includes(13));
    expect(one.ejected).toEqual([13]);
    expect(one.runs).toBeLessThan(16);
  });
});
