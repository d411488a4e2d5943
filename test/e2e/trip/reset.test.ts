import { describe, expect, it } from 'vitest';

import { planOf } from '../harness/answers.ts';
import { killHost } from '../harness/crash.ts';
import { landedTasks } from '../harness/git.ts';
import { isAlive } from '../harness/processes.ts';
import { HONEST, project, starts, writeScenario } from '../harness/project.ts';
import { ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

describe('a task whose agent hangs', () => {
  it.each([
    ['its host was killed', true],
    ['its host lives', false],
  ])('trip 1: reset ends the agent before it says so: %s', async (_, isKilled) => {
    const one = scratch();
    project(one, { tasks: ['t1'], agent: [{ ignoreTerm: true }, { hang: true }] });
    const host = startRalph(one, ['run', '--events']);
    const agent = await until('the agent hangs', () => starts(one)[0]);
    if (isKilled) await killHost(host);
    expect(isAlive(agent.pid)).toBe(true);
    if (!isKilled) writeScenario(one, { agent: HONEST });
    const reset = await ralph(one, ['tasks', 'reset', 't1']);
    expect({ code: reset.code, stderr: reset.stderr }).toMatchObject({ code: 0 });
    expect(isAlive(agent.pid)).toBe(false);
    writeScenario(one, { agent: HONEST });
    if (!isKilled) await host.ended;
    else expect((await ralph(one, ['run'])).code).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['t1']);
  });
});

describe('one truth', () => {
  it('trip 18: after a reset the status, the list and the dry run say the same; a cost nobody reported is one line', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'], agent: [{ exit: 1 }], config: { limits: { consecutive_failures: 1 } } });
    expect((await ralph(one, ['run'])).code).toBe(1);
    const cost = await ralph(one, ['cost']);
    expect([cost.stdout, cost.stderr]).toEqual(['no agent has reported tokens or cost yet\n', '']);
    expect((await ralph(one, ['tasks', 'reset', 't1'])).code).toBe(0);
    const { stdout } = await ralph(one, ['status', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      counts: { open: 1, parked: 0 },
      tasks: [{ id: 't1', reason: null }],
    });
    expect(planOf((await ralph(one, ['run', '--dry-run', '--json'])).stdout).start).toEqual(['t1']);
  });
});
