import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect } from 'vitest';

import { landedTasks } from '../e2e/harness/git.ts';
import { beside } from '../e2e/harness/ralph.ts';
import { until } from '../e2e/harness/until.ts';
import { arena } from './harness/arena.ts';
import { itWith } from './harness/it-with.ts';
import { begun, loopProcesses, statusOf } from './harness/looks.ts';
import { HONEST } from './model-server/scenario.ts';
import type { Turn } from './model-server/scenario.ts';

const RUN = ['run', '--parallel', '--max-workers', '1'];
const [write, commit] = HONEST;

describe('agents talk back', () => {
  for (const name of ['claude', 'codex'] as const) {
    itWith(name)(`${name} calls progress and done as MCP tools`, async () => {
      const turns: readonly Turn[] = [
        { verb: { name: 'progress', args: { text: 'half way' } } },
        { ...write, after: 'seen' },
        { ...commit },
        { verb: { name: 'done', args: { summary: 'made it' } } },
        { text: 'That is all.' },
      ];
      const one = await arena({ clients: [name], tasks: ['t1'], scenario: { turns } });
      const run = one.start(RUN);
      await until('progress shows', async () => (await statusOf(one)).workers[0]?.progress === 'half way', 60_000);
      one.model.release('seen');
      const { code, stderr } = await run.ended;
      expect(code, stderr).toBe(0);
      expect(landedTasks(one.git, 'refs/paralph/int/main')).toEqual(['t1']);
      expect(begun(one, 't1')).toBe(1);
    });
  }
});

describe('a person talks to an agent', () => {
  itWith('claude')('claude-stdio: what is said while a tool runs reaches the model in the same iteration', async () => {
    const shell = 'while ! test -e ../../../../go; do sleep 0.1; done';
    const one = await arena({
      clients: ['claude'],
      tasks: ['t1'],
      scenario: { turns: [{ shell }, ...HONEST] },
      config: { 'agents.claude': { driver: 'claude-stdio' } },
    });
    const run = one.start(RUN);
    await until('the tool waits', () => loopProcesses(one).some((found) => found.command.startsWith('sleep')), 60_000);
    const { workers } = await statusOf(one);
    const loop = workers[0]?.loop ?? '';
    const steered = await one.ralph(['loops', 'steer', loop, 'Paint it blue.']);
    expect(steered.code, steered.stderr).toBe(0);
    expect(steered.stderr).toMatch(/told now/);
    const inbox = join(one.repo, '.git/paralph/runs', loop, '1/inbox');
    await until('it is handed on', () => readdirSync(inbox).some((file) => file.endsWith('.taken')));
    writeFileSync(beside(one, 'go'), '');
    const { code, stderr } = await run.ended;
    expect(code, stderr).toBe(0);
    expect(begun(one, 't1')).toBe(1);
    expect(one.model.asked('t1').filter((asked) => asked.raw.includes('Paint it blue.')).length).toBeGreaterThan(0);
    expect(landedTasks(one.git, 'refs/paralph/int/main')).toEqual(['t1']);
  });
});
