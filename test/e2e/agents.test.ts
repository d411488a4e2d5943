import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { summaryOf } from './harness/answers.ts';
import { landedTasks, refsBelow } from './harness/git.ts';
import { isAlive } from './harness/processes.ts';
import { calls, HONEST, project, starts } from './harness/project.ts';
import { beside, ralph } from './harness/ralph.ts';
import { scratch } from './harness/scratch.ts';

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

  it('A5 the agent that commits by itself lands the same', async () => {
    const one = scratch();
    project(one, {
      tasks: ['t1', 't2'],
      agent: [{ write: { path: '${task}.txt', text: 'x' } }, { commit: 'Add ${task}' }, { claim: true }],
    });
    expect((await ralph(one, PARALLEL)).code).toBe(0);
    expect(one.git('log', '--format=%s', 'main')).toMatch(/^Add t1$/m);
    expect(one.git('log', '-1', '--format=%an <%ae>', 'main')).toBe('Una User <una@example.com>');
  });

  it('A5 ignored files are never committed for the agent', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'], agent: [{ write: { path: '.env', text: 'SECRET' } }, ...HONEST] });
    expect((await ralph(one, PARALLEL)).code).toBe(0);
    expect(one.git('ls-tree', '-r', '--name-only', 'main').split('\n')).not.toContain('.env');
    expect(one.git('log', '--all', '--format=%H', '--', '.env')).toBe('');
  });

  it('case 41: A5 the agent that lies: nothing lands, exit 1', async () => {
    const one = scratch();
    project(one, { tasks: EIGHT, agent: [{ claim: true }], config: { limits: { iterations: 2 } } });
    const main = one.git('rev-parse', 'main');
    const { code, stdout } = await ralph(one, [...PARALLEL, '--json']);
    expect(code).toBe(1);
    const summary = summaryOf(stdout);
    expect(summary).toMatchObject({ landed: [], ready: [] });
    expect(summary.parked.map((parked) => parked.task).sort()).toEqual(EIGHT);
    expect(one.git('rev-parse', 'main')).toBe(main);
  });

  it('A5 S3.6 the agent that quotes the promise and goes on talking is not done', async () => {
    const one = scratch();
    const steps = [{ write: { path: 'x.txt', text: '${iteration}' } }, { claimFalsely: true }] as const;
    project(one, { tasks: ['t1'], agent: steps, config: { limits: { iterations: 2 } } });
    expect((await ralph(one, PARALLEL)).code).toBe(1);
    expect(starts(one)).toHaveLength(2);
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
      config: { limits: { runtime: '4s', grace: '300ms' } },
    });
    const { code, stdout } = await ralph(one, [...PARALLEL, '--json']);
    expect(code).toBe(1);
    const summary = summaryOf(stdout);
    expect(summary).toMatchObject({ landed: ['t1', 't3'], parked: [{ task: 't2' }] });
    expect(JSON.stringify(summary.parked[0]?.reason)).toMatch(/runtime|time|limit/i);
    expect(String(summary.parked[0]?.next)).toContain('ralph ');
    expect(starts(one).filter((call) => isAlive(call.pid))).toEqual([]);
  });

  it('A5 a flood of output neither blocks nor loses the claim behind it', async () => {
    const one = scratch();
    project(one, { tasks: ['t1'], agent: [{ flood: { bytes: 20_000_000 } }, ...HONEST] });
    expect((await ralph(one, PARALLEL)).code).toBe(0);
  });

  it('A5 an agent gets its task on stdin, its worktree as folder, and no more environment than allowed', async () => {
    const one = scratch();
    const dump = beside(one, 'dump');
    project(one, {
      tasks: ['t1'],
      agent: [
        { prompt: { path: `${dump}/prompt` } },
        { env: { path: `${dump}/env` } },
        { pwd: { path: `${dump}/pwd` } },
        ...HONEST,
      ],
    });
    await ralph(one, PARALLEL, { env: { SECRET_TOKEN: 'hunter2', GIT_DIR: undefined } });
    const read = (name: string): string => readFileSync(`${dump}/${name}`, 'utf8');
    expect(read('prompt')).toContain('Make t1');
    expect(read('prompt')).toContain('<promise>COMPLETE</promise>');
    const env = JSON.parse(read('env')) as Record<string, string>;
    expect(env).toMatchObject({ RALPH_TASK_ID: 't1', RALPH_ITERATION: '1', RALPH_LOOP_ID: expect.any(String) });
    expect(Object.keys(env)).not.toContain('SECRET_TOKEN');
    expect(read('pwd')).toContain('/.ralph/worktrees/');
    expect(calls(one)).toHaveLength(2);
  });
});
