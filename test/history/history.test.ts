import { describe, expect, it } from 'vitest';
import { createRandom } from '../sim/model/random.ts';
import type { History, HistoryOptions } from './run-history.ts';
import { runHistory } from './run-history.ts';
import type { Shape } from './shapes.ts';
import { BACKLOGS, chainOf, shuffled } from './shapes.ts';

/** `HISTORY_SEEDS=n` runs more or fewer of each. */
const SEEDS = Number(process.env['HISTORY_SEEDS'] ?? 20);
const CHAINS = [2, 5, 8, 12];
const TIMEOUT_MS = 300_000;

interface Kind {
  readonly order: 'file' | 'shuffled';
  readonly names: HistoryOptions['names'];
}

async function runAll(tasks: readonly Shape[], { order, names }: Kind): Promise<readonly History[]> {
  const found: History[] = [];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const list = order === 'file' ? tasks : shuffled(tasks, createRandom(1000 + seed));
    found.push(await runHistory({ tasks: list, names, seed }));
  }
  return found;
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** All came to an end, and nothing is left that could work but what had its cap of calls. */
function checkEnds(all: readonly History[], mayBeUsedUp: boolean): void {
  for (const { open, left } of all) {
    expect(open).toEqual([]);
    for (const one of left) expect(one).toMatch(mayBeUsedUp ? /: waited for / : /^never/);
  }
}

const tell = (what: string, all: readonly History[], tasks: number): number => {
  const calls = mean(all.map((one) => one.calls)) / tasks;
  console.log(
    `${what}: ${mean(all.map((one) => one.landed)).toFixed(1)} landed, ${calls.toFixed(2)} calls a task, at most ${Math.max(...all.map((one) => one.mostCalls))} of one`,
  );
  return calls;
};

describe('backlogs with hidden dependencies', () => {
  it.each([
    { order: 'file', names: 'never', most: 1.5 },
    { order: 'shuffled', names: 'never', most: 2.2 },
    { order: 'shuffled', names: 'half', most: 1.8 },
  ] as const)(
    'four real ones, $order order, agents that name what they lack: $names',
    async ({ most, ...kind }) => {
      const all: History[] = [];
      for (const tasks of BACKLOGS) {
        const some = await runAll(tasks, kind);
        // Who knows nothing of what it lacks, or has it wrong, may have asked in vain as often as anybody may.
        checkEnds(some, kind.order === 'shuffled');
        all.push(...some);
      }
      expect(tell(`${kind.order}, names ${kind.names}`, all, 30)).toBeLessThanOrEqual(most);
    },
    TIMEOUT_MS,
  );

  it.each([
    { order: 'file', names: 'never' },
    { order: 'file', names: 'always' },
    { order: 'shuffled', names: 'always' },
  ] as const)(
    'chains of up to 12, $order order, names: $names',
    async (kind) => {
      for (const length of CHAINS) {
        const all = await runAll(chainOf(length), kind);
        checkEnds(all, false);
        const calls = tell(`a chain of ${length}, ${kind.order}, names ${kind.names}`, all, length);
        expect(calls).toBeLessThanOrEqual(2.3);
      }
    },
    TIMEOUT_MS,
  );
});
