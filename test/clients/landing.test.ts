import { spawnSync } from 'node:child_process';

import { describe, expect } from 'vitest';

import { summaryOf } from '../e2e/harness/answers.ts';
import { landedTasks } from '../e2e/harness/git.ts';
import { arena } from './harness/arena.ts';
import type { Arena } from './harness/arena.ts';
import { ALL } from './harness/clients.ts';
import { itWhere, itWith } from './harness/it-with.ts';
import { begun, costOf } from './harness/looks.ts';
import { canIsolate, isolatedNetwork } from './harness/network.ts';
import { HONEST, USAGE } from './model-server/scenario.ts';

const TASKS = ['t1', 't2'];

/** What was read is told differently by each; what was written is the same for all who count every answer. */
async function expectTokens(one: Arena, answers: number): Promise<void> {
  const { tasks, total } = await costOf(one);
  expect(tasks.map((task) => task.task).sort()).toEqual(TASKS);
  for (const { usage } of tasks) {
    expect(usage.output_tokens).toBe(answers * USAGE.output);
    expect(usage.input_tokens).toBeGreaterThanOrEqual(answers * USAGE.input);
  }
  expect(total.output_tokens).toBe(TASKS.length * answers * USAGE.output);
}

describe('A1 two tasks at once in worktrees', () => {
  for (const client of ALL) {
    itWith(client.name)(`A1 ${client.name}: both land, and what they used is known afterwards`, async () => {
      const one = await arena({ clients: [client.name], tasks: TASKS, scenario: { turns: HONEST } });
      const { code, stdout, stderr } = await one.ralph(['run', '--parallel', '--max-workers', '2', '--json']);
      expect(summaryOf(stdout), stderr).toMatchObject({ landed: TASKS, ready: [], parked: [] });
      expect(code).toBe(0);
      expect(landedTasks(one.git, 'refs/paralph/int/main').sort()).toEqual(TASKS);
      for (const task of TASKS) {
        expect(one.git('show', `main:${task}.txt`)).toBe(`made by ${task}`);
        expect(begun(one, task)).toBe(1);
      }
      await expectTokens(one, client.tells === 'all' ? HONEST.length : 1);
    });
  }

  itWhere(canIsolate(), 'this machine allows no network namespace: clients run with the network as it is')(
    'A1 clients run where there is no network but loopback',
    async () => {
      const network = await isolatedNetwork('/nowhere');
      const [program, ...argv] = [...network.prefix, 'cat', '/proc/net/dev'];
      const { stdout } = spawnSync(program, argv, { encoding: 'utf8' });
      network.close();
      expect([...stdout.matchAll(/^\s*(\S+):/gm)].map((match) => match[1])).toEqual(['lo']);
    },
  );
});
