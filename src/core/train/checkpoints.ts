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
