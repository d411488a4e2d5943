import { createQueueWorld } from './workload.mjs';

const range = (from, to) => Array.from({ length: to - from }, (_, index) => from + index);

/** B1: merge one, test it, land it or put it aside; the next one. No red run is repeated. */
export function sequential(bad) {
  const world = createQueueWorld(bad);
  let now = 0;
  for (const item of range(0, world.count)) {
    now += 1;
    if (world.test([item])) world.land([item], now);
  }
  return world.end(now);
}

/** B2: bors. A red batch is cut into halves, both tested anew; a red single is put aside. */
export function halves(bad, batch = 8) {
  const world = createQueueWorld(bad);
  const batches = [];
  for (let from = 0; from < world.count; from += batch) batches.push(range(from, Math.min(from + batch, world.count)));
  let now = 0;
  while (batches.length > 0) {
    const items = batches.shift();
    now += 1;
    if (world.test(items)) world.land(items, now);
    else if (items.length > 1) {
      const middle = Math.floor(items.length / 2);
      batches.unshift(items.slice(0, middle), items.slice(middle));
    }
  }
  return world.end(now);
}

/** B3: Zuul. Every prefix of a window is tested at once; the first red one is put aside, all behind it start again. */
export function everyPrefix(bad, window = 4) {
  const world = createQueueWorld(bad);
  let queue = range(0, world.count);
  let now = 0;
  while (queue.length > 0) {
    now += 1;
    const ahead = queue.slice(0, window);
    const verdicts = ahead.map((_, index) => world.test(ahead.slice(0, index + 1)));
    const firstRed = verdicts.indexOf(false);
    const green = firstRed < 0 ? ahead.length : firstRed;
    world.land(ahead.slice(0, green), now);
    queue = queue.slice(firstRed < 0 ? green : green + 1);
  }
  return world.end(now);
}
