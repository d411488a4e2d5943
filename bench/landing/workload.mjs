import { createRandom } from '../lib/random.mjs';

/** Which of `count` queued items are bad, for each trial; the same for whoever lands them. */
export function makeTrials({ count, rate, trials, seed }) {
  const random = createRandom(seed);
  return Array.from({ length: trials }, () => Array.from({ length: count }, () => random() < rate));
}

/** One queue that starts full at time 0, with a gate that takes 1. Every gate run goes through `test`. */
export function createQueueWorld(bad) {
  const landedAt = new Map();
  let runs = 0;
  return {
    count: bad.length,
    test(items) {
      runs += 1;
      return items.every((item) => !bad[item]);
    },
    land(items, atD) {
      for (const item of items) {
        if (bad[item]) throw new Error(`item ${item} is bad and landed: main is red`);
        if (landedAt.has(item)) throw new Error(`item ${item} landed twice`);
        landedAt.set(item, atD);
      }
    },
    /** Every good item must have landed, or its figures are worth nothing. */
    end(makespan) {
      const lost = bad.findIndex((isBad, item) => !isBad && !landedAt.has(item));
      if (lost >= 0) throw new Error(`item ${lost} is good and did not land`);
      return { runs, makespan, landed: landedAt.size, latencies: [...landedAt.values()] };
    },
  };
}

const percentile = (values, part) => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)];
};

const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);

/** All trials of one strategy, as the figures of landing.md: runs and time for each landed item. */
export function summarize(results) {
  const landed = sumOf(results.map((result) => result.landed));
  const latencies = results.flatMap((result) => result.latencies);
  return {
    perLanded: sumOf(results.map((result) => result.runs)) / landed,
    runs: sumOf(results.map((result) => result.runs)) / results.length,
    makespan: sumOf(results.map((result) => result.makespan)) / results.length,
    mean: sumOf(latencies) / latencies.length,
    p95: percentile(latencies, 0.95),
  };
}
