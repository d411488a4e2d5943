import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { landedTasks, refsBelow } from '../harness/git.ts';
import { isAlive } from '../harness/processes.ts';
import { calls, HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

const EIGHT = ['t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8'];
const PARALLEL = ['run', '--parallel', '--max-workers', '4'];

describe('A5 agents of four characters', () => {
  it('A5 the agent that commits nothing: all 8 tasks land with their files', async () => {
    const one = scratch();
    project(one, { tasks: EIGHT });
    const { code, stdout } = await ralph(one, [...PARALLEL, '--json']);
    expect(summaryOf(stdout)).toMatchObject({ landed: EIGHT, ready: [], parked: [] });
    expect(code).toBe(0);
    expect(landedTasks(one.git, 'refs/paralph/int/main')).toHaveLength(8);
    for (const task of EIGHT) expect(one.git('show', `main:${task}.txt`)).toBe(`made by ${task}`);
    expect(one.git('show', 'main:PRD.md')).not.toContain('[ ]');
    expect(one.git('status', '--porcelain')).toBe('');
  });

  it('A5 commits of its own, ignored files, a flood of output: each lands, and gets what it needs and no more', async () => {
    const one = scratch();
    const dump = beside(one, 'dump');
    project(one, {
      tasks: ['own', 'ignored', 'flood', 'asks'],
      byTask: {
        own: [{ write: { path: '${task}.txt', text: 'x' } }, { commit: 'Add ${task}' }, { claim: true }],
        ignored: [{ write: { path: '.env', text: 'SECRET' } }, ...HONEST],
        flood: [{ flood: { bytes: 20_000_000 } }, ...HONEST],
        asks: [
          { prompt: { path: `${dump}/prompt` } },
          { env: { path: `${dump}/env` } },
          { pwd: { path: `${dump}/pwd` } },
          ...HONEST,
        ],
      },
    });
    const run = await ralph(one, PARALLEL, { env: { SECRET_TOKEN: 'hunter2', GIT_DIR: undefined } });
    expect(run.code, 'a flood neither blocks nor hides the claim behind it').toBe(0);
    expect(one.git('log', '--format=%s', 'main')).toMatch(/^Add own$/m);
    expect(new Set(one.git('log', '--format=%an <%ae>', 'main').split('\n'))).toEqual(
      new Set(['Una User <una@example.com>']),
    );
    expect(one.git('ls-tree', '-r', '--name-only', 'main').split('\n')).not.toContain('.env');
    expect(one.git('log', '--all', '--format=%H', '--', '.env')).toBe('');
    const read = (name: string): string => readFileSync(`${dump}/${name}`, 'utf8');
    expect(read('prompt')).toContain('Make asks');
    expect(read('prompt')).toContain('<promise>COMPLETE</promise>');
    const env = JSON.parse(read('env')) as Record<string, string>;
    expect(env).toMatchObject({ RALPH_TASK_ID: 'asks', RALPH_ITERATION: '1', RALPH_LOOP_ID: expect.any(String) });
    expect(Object.keys(env)).not.toContain('SECRET_TOKEN');
    expect(read('pwd')).toContain('/.ralph/worktrees/');
    expect(calls(one).filter((call) => call.task === 'asks')).toHaveLength(2);
  });

  it('case 41: A5 S3.6 the agents that lie, or quote the promise and go on talking: nothing lands, exit 1', async () => {
    const one = scratch();
    const quotes = [{ write: { path: 'x.txt', text: '${iteration}' } }, { claimFalsely: true }] as const;
    const tasks = ['t1', 't2', 't3', 'quotes'];
    project(one, { tasks, agent: [{ claim: true }], byTask: { quotes }, config: { limits: { iterations: 2 } } });
    const main = one.git('rev-parse', 'main');
    const { code, stdout } = await ralph(one, [...PARALLEL, '--json']);
    expect(code).toBe(1);
    const summary = summaryOf(stdout);
    expect(summary).toMatchObject({ landed: [], ready: [] });
    expect(summary.parked.map((parked) => parked.task).sort()).toEqual(tasks.toSorted());
    expect(one.git('rev-parse', 'main')).toBe(main);
    expect(starts(one).filter((call) => call.task === 'quotes')).toHaveLength(2);
  });

  it('A5 S0.11 all agents exit 3: exit 1, and the text never says complete', async () => {
    const one = scratch();
    project(one, {
      tasks: ['t1', 't2', 't3'],
      agent: [{ write: { path: '${task}.txt', text: 'half\n' } }, { exit: 3 }],
      config: { limits: { consecutive_failures: 2 } },
    });
    const { code, stdout, stderr } = await ralph(one, PARALLEL);
    expect(code).toBe(1);
    expect(stdout + stderr).not.toMatch(/complete/i);
    expect(stderr).toMatch(/\b3\b.*parked|parked.*\b3\b/i);
    expect(refsBelow(one.git, 'refs/heads/ralph/')).toHaveLength(3);
  });

  it('A5 S2.11 one agent hangs: the others land, it is stopped by its limit and parked', async () => {
    const one = scratch();
    project(one, {
      tasks: ['t1', 't2', 't3'],
      byTask: { t2: [{ ignoreTerm: true }, { write: { path: 'half.txt', text: 'half' } }, { hang: true }] },
      config: { limits: { runtime: '8s', grace: '300ms' } },
    });
    const { code, stdout } = await ralph(one, [...PARALLEL, '--json']);
    expect(code).toBe(1);
    const summary = summaryOf(stdout);
    expect(summary).toMatchObject({ landed: ['t1', 't3'], parked: [{ task: 't2' }] });
    expect(JSON.stringify(summary.parked[0]?.reason)).toMatch(/runtime|time|limit/i);
    expect(String(summary.parked[0]?.next)).toContain('ralph ');
    expect(starts(one).filter((call) => isAlive(call.pid))).toEqual([]);
  });
});
