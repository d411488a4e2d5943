import { describe, expect } from 'vitest';

import { summaryOf } from '../e2e/harness/answers.ts';
import { until } from '../e2e/harness/until.ts';
import { arena } from './harness/arena.ts';
import type { Arena } from './harness/arena.ts';
import { itWith } from './harness/it-with.ts';
import { begun, costOf } from './harness/looks.ts';
import type { Turn } from './model-server/scenario.ts';

const RUN = ['run', '--parallel', '--max-workers', '1', '--json'];
/** At 15 dollars for a million tokens, 0.20 for an answer: two answers are 0.40 an iteration. */
const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 13_333 };
const ITERATION: readonly Turn[] = [{ shell: 'echo more >> notes.txt' }, { text: 'There is more to do.' }];
const [shell, ...rest] = ITERATION;
const HELD: readonly Turn[] = [{ ...shell, after: 'killed' }, ...rest];

const spender = (iterations: readonly (readonly Turn[])[]): Promise<Arena> =>
  arena({
    clients: ['claude'],
    tasks: ['t1'],
    scenario: { byTask: { t1: iterations }, usage },
    config: { limits: { max_cost: 1, iterations: 9, runtime: '120s', grace: '2s' } },
  });

async function expectSpent(one: Arena, stdout: string): Promise<void> {
  expect(summaryOf(stdout)).toMatchObject({ landed: [], parked: [{ task: 't1', reason: 'budget' }] });
  expect(begun(one, 't1')).toBe(3);
  const { total, tasks } = await costOf(one);
  expect(total.cost_usd).toBeCloseTo(1.2, 2);
  expect(tasks[0]?.loops[0]?.iterations).toHaveLength(3);
}

describe('A3 a budget of 1.00 with 0.40 an iteration', () => {
  itWith('claude')('A3 stops after the third, also when the host was killed in between', async () => {
    const one = await spender([ITERATION, HELD, ITERATION]);
    const run = one.start(RUN);
    await until('the second iteration', () => begun(one, 't1') === 2, 60_000);
    run.signal('SIGKILL');
    await run.ended;
    one.model.release('killed');
    const { code, stdout } = await one.ralph(RUN);
    expect(code).toBe(1);
    await expectSpent(one, stdout);
  });
});
