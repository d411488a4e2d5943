import { describe, expect, it } from 'vitest';

import { listOf, planOf, summaryOf } from '../harness/answers.ts';
import { HONEST, project, writeScenario } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const FAILS = [{ exit: 1 }] as const;

interface Told {
  readonly tasks: readonly { readonly id: string; readonly state: string; readonly next: string | null }[];
}

/** What the status, the list and the dry run say of a task: whether the next run begins it. */
async function saidOf(one: Scratch, task: string): Promise<readonly string[]> {
  const [status, list, plan] = [
    JSON.parse((await ralph(one, ['status', '--json'])).stdout) as Told,
    JSON.parse((await ralph(one, ['tasks', 'list', '--json'])).stdout) as Told | Told['tasks'],
    planOf((await ralph(one, ['run', '--dry-run', '--json'])).stdout),
  ];
  const listed = 'tasks' in list ? list.tasks : list;
  return [
    status.tasks.find(({ id }) => id === task)?.state ?? '?',
    listed.find(({ id }) => id === task)?.state ?? '?',
    plan.start.includes(task) ? 'open' : 'kept',
  ];
}

async function loopOf(one: Scratch): Promise<string> {
  const loops = listOf((await ralph(one, ['loops', 'list', '--json'])).stdout, 'loops') as unknown as {
    readonly id: string;
  }[];
  return loops[0]?.id ?? '';
}

describe('one truth', () => {
  it('trip 18: discard, undo and reset leave the status, the list and the dry run saying the same', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'], config: { limits: { attempts: 3 }, parallel: { merge_policy: 'manual' } } });
    expect((await ralph(one, ['run'])).code).toBe(0);
    const loop = await loopOf(one);
    await ralph(one, ['loops', 'discard', loop, '-y']);
    expect(await saidOf(one, 't1')).toEqual(['discarded', 'discarded', 'kept']);
    await ralph(one, ['undo']);
    expect(await saidOf(one, 't1')).toEqual(['parked', 'parked', 'kept']);
    await ralph(one, ['loops', 'discard', loop, '-y']);
    const reset = await ralph(one, ['tasks', 'reset', 't1']);
    expect(await saidOf(one, 't1')).toEqual(['open', 'open', 'open']);
    expect(reset.stderr, 'its branch is gone').not.toContain('kept on ralph/');
  });

  it('trip 18: a task that may have another loop waits for it', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'], agent: FAILS, config: { limits: { consecutive_failures: 1 } } });
    expect((await ralph(one, ['run'])).code).toBe(1);
    expect(await saidOf(one, 't1')).toEqual(['parked', 'parked', 'kept']);
    await ralph(one, ['config', 'set', 'limits.attempts', '2']);
    expect(await saidOf(one, 't1')).toEqual(['open', 'open', 'open']);
  });
});

describe('land --all', () => {
  it('trip 18: exits 0 when it landed all that was ready, whatever else is parked', async () => {
    const one = scratch();
    project(one, {
      tasks: ['bad', 'good'],
      byTask: { bad: FAILS },
      config: { limits: { consecutive_failures: 1 }, parallel: { merge_policy: 'manual' } },
    });
    expect((await ralph(one, ['run'])).code).toBe(1);
    const { code, stdout, stderr } = await ralph(one, ['land', '--all', '--json']);
    expect(summaryOf(stdout).landed).toEqual(['good']);
    expect(code, stderr).toBe(0);
  });

  it('trip 18: exits 1 when something was parked instead of landing', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a', 'b'],
      agent: [{ write: { path: 'same.txt', text: 'made by ${task}\n' } }, { claim: true }],
      config: { parallel: { merge_policy: 'manual' } },
    });
    expect((await ralph(one, ['run'])).code).toBe(0);
    const { code, stdout } = await ralph(one, ['land', '--all', '--json']);
    expect(summaryOf(stdout).parked.map(({ task }) => task)).toEqual(['b']);
    expect(code).toBe(1);
  });
});

describe('the summary', () => {
  it('trip 18: tells what landed in this run, not before', async () => {
    const one = scratch();
    project(one, { tasks: ['t1', 't2'], byTask: { t2: FAILS }, config: { limits: { consecutive_failures: 1 } } });
    const first = await ralph(one, ['run', '--json']);
    expect(summaryOf(first.stdout).landed).toEqual(['t1']);
    writeScenario(one, { agent: HONEST });
    await ralph(one, ['tasks', 'reset', 't2']);
    const second = await ralph(one, ['run', '--json']);
    expect(summaryOf(second.stdout).landed).toEqual(['t2']);
    expect(second.stderr).toContain('1 landed, 0 ready, 0 parked');
    expect(second.stderr).not.toMatch(/landed +t1/);
    const third = await ralph(one, ['run']);
    expect(third.stderr).not.toMatch(/landed +t[12]/);
    expect(third.stderr).toContain('0 landed, 0 ready, 0 parked');
  });
});
