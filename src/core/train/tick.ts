/** Everything a decision about a train depends on. Prefix `k` is the first `k` cars; prefix 0 is the base alone. */
export interface TrainSnapshot {
  readonly cars: readonly PrefixFacts[];
  readonly base: PrefixFacts;
  /** Gate runs at the same time. */
  readonly slots: number;
  /** How likely an item is red, and how likely a red verdict is a lie. */
  readonly hazard: number;
  readonly flake: number;
  /** Further runs of a red prefix before anybody is blamed; auto: as many as the evidence asks for. */
  readonly flakeRetries: number | 'auto';
}

export interface PrefixFacts {
  readonly isGreen: boolean;
  /** How often it was red on this base. */
  readonly reds: number;
  readonly isRunning: boolean;
}

export type Tick =
  /** Integration moves to this prefix. */
  | { readonly do: 'land'; readonly prefix: number }
  /** The first car turns a green base red, and that is proved. */
  | { readonly do: 'eject' }
  /** The base itself is red: nobody is to blame for that. */
  | { readonly do: 'blame-base' }
  /** These prefixes, and no others, should be under test. */
  | { readonly do: 'test'; readonly prefixes: readonly number[] };

/** More would be stubbornness. */
const CONFIRMATIONS_MAX = 5;
/** How likely a flake has to be before a red prefix is run again instead of searched. */
const FLAKE_IS_LIKELY = 0.4;

/** What to do next with a train. The same snapshot always gives the same answer, and nothing else decides what may land. */
export function tick(train: TrainSnapshot): Tick {
  const green = longestGreen(train);
  if (green > 0) return { do: 'land', prefix: green };
  const red = train.cars.findIndex((car) => car.reds > 0) + 1;
  if (red === 0) return { do: 'test', prefixes: fresh(train) };
  if (red > 1) return { do: 'test', prefixes: search(train, red) };
  return judgeFirst(train);
}

/** A later green makes up for an earlier red: what counts is each value integration takes. */
const longestGreen = ({ cars }: TrainSnapshot): number => cars.findLastIndex((car) => car.isGreen) + 1;

/** Nothing is known to be red: what runs goes on, and free slots take the most promising prefixes. */
function fresh({ cars, slots, hazard }: TrainSnapshot): readonly number[] {
  const running = runningOf(cars);
  const chosen = choosePrefixes(cars.length, slots, hazard).filter((prefix) => !running.includes(prefix));
  return fill(running, chosen.toReversed(), slots);
}

/** Somewhere before `red` the train turned: cut the interval. Runs behind it go on where a slot is to spare, a later green lands all. */
function search({ cars, slots, hazard, flake }: TrainSnapshot, red: number): readonly number[] {
  const running = runningOf(cars);
  const inside = running.filter((prefix) => prefix < red);
  const good = (1 - hazard) ** red;
  const isLikelyFlake = (flake * good) / (1 - (1 - flake) * good) > FLAKE_IS_LIKELY;
  const again = isLikelyFlake && cars[red - 1]?.reds === 1 ? [red] : [];
  const cuts = splitBefore(red, slots - again.length).filter((prefix) => !inside.includes(prefix));
  const behind = running.filter((prefix) => prefix > red);
  return fill(fill(inside, [...again, ...cuts], slots), behind, slots);
}

function judgeFirst(train: TrainSnapshot): Tick {
  const { base, cars, slots } = train;
  if (!isProved(train)) return { do: 'test', prefixes: fill([1], runningOf(cars), slots) };
  if (base.isGreen) return { do: 'eject' };
  // The base was never tested, or was red: one red run may be a lie about it too.
  if (base.reds > 1 || (base.reds === 1 && train.flakeRetries === 0)) return { do: 'blame-base' };
  return { do: 'test', prefixes: [0] };
}

/**
 * A fixed number of retries is counted on the prefix itself. Otherwise every red run of the train speaks against its
 * first car, as nothing before it can be red; one alone is never enough, and gates known to lie need more.
 */
function isProved({ cars, hazard, flake, flakeRetries }: TrainSnapshot): boolean {
  const own = cars[0]?.reds ?? 0;
  if (flakeRetries !== 'auto') return own > flakeRetries;
  if (own > CONFIRMATIONS_MAX) return true;
  const all = cars.reduce((sum, car) => sum + car.reds, 0);
  return all > 1 && flake ** own / (flake ** own + hazard) <= FLAKE_IS_LIKELY;
}

const runningOf = (cars: readonly PrefixFacts[]): readonly number[] =>
  cars.flatMap((car, index) => (car.isRunning ? [index + 1] : []));

/** Takes from `more` what is not there yet, as far as slots go. */
function fill(taken: readonly number[], more: readonly number[], slots: number): readonly number[] {
  const all = taken.slice(0, slots);
  for (const one of more) if (all.length < slots && !all.includes(one)) all.push(one);
  return all;
}

/** Beyond this, testing each item by itself is faster than any search. */
const UNIT_SPACING = 0.6;
/** Items a further gate run must be expected to land earlier: runs cost what agents need too. */
const WORTH_A_RUN = 0.5;

/**
 * Which prefixes of a train to test at once when nothing is known to be red: those that land most, weighed by how
 * likely each is green. With one slot that is about 1 / hazard items. Ascending, from 1 to `cars`.
 */
export function choosePrefixes(cars: number, slots: number, hazard: number): readonly number[] {
  if (cars === 0 || slots === 0) return [];
  if (slots > 1 && hazard * slots >= UNIT_SPACING) return range(1, Math.min(slots, cars));
  return bestPrefixes(cars, slots, 1 - hazard);
}

interface Choice {
  readonly value: number;
  readonly prefixes: readonly number[];
}

/** For each prefix, the best choice that ends with it; one more point in each round. */
function bestPrefixes(cars: number, slots: number, alive: number): readonly number[] {
  let ending: readonly Choice[] = [{ value: 0, prefixes: [] }];
  let best: Choice = { value: -1, prefixes: [] };
  for (let points = 1; points <= Math.min(slots, cars); points += 1) {
    const next: Choice[] = [];
    let most: Choice = { value: -1, prefixes: [] };
    for (let end = points; end <= cars; end += 1) {
      const chosen = extend(ending, points - 1, end, alive ** end);
      next[end] = chosen;
      if (chosen.value > most.value) most = chosen;
    }
    if (points > 1 && most.value - best.value < WORTH_A_RUN) break;
    best = most;
    ending = next;
  }
  return best.prefixes;
}

/** Ends a choice of one point fewer with this prefix, where that is worth most. */
function extend(before: readonly Choice[], from: number, end: number, green: number): Choice {
  let best: Choice = { value: -1, prefixes: [] };
  for (let start = from; start < end; start += 1) {
    const choice = before[start];
    if (choice === undefined) continue;
    const value = choice.value + (end - start) * green;
    if (value > best.value) best = { value, prefixes: [...choice.prefixes, end] };
  }
  return best;
}

/** Prefixes that cut what is before a red one into equal parts, as many as there are slots. */
export function splitBefore(red: number, slots: number): readonly number[] {
  const inside = Math.min(slots, red - 1);
  const cuts = range(1, inside).map((nth) => Math.max(1, Math.round((red * nth) / (inside + 1))));
  return [...new Set(cuts)].filter((cut) => cut < red);
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
