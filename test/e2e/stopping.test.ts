import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import type { Step } from '../../src/scripted/scenario.ts';
import { listOf } from './harness/answers.ts';
import { landedTasks } from './harness/git.ts';
import { isAlive, processesOf } from './harness/processes.ts';
import { HONEST, project, starts } from './harness/project.ts';
import { beside, ralph, startRalph } from './harness/ralph.ts';
import type { Scratch } from './harness/scratch.ts';
import { scratch } from './harness/scratch.ts';
import { until } from './harness/until.ts';

const RUN = ['run', '--parallel', '--max-workers', '2'];

const wait = (one: Scratch): Step => ({ waitForFile: { path: beside(one, 'go') } });
const go = (one: Scratch): void => writeFileSync(beside(one, 'go'), '');
const agentsAlive = (one: Scratch): number[] =>
  starts(one)
    .map((call) => call.pid)
    .filter(isAlive);

describe('stopping', () => {
  it('case 51: Ctrl-C once: 130, no new work, agents gone, resumable, the command shown', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a', 'b', 'c'],
      agent: [{ write: { path: '${task}.txt', text: 'half' } }, wait(one), ...HONEST],
    });
    const run = startRalph(one, RUN);
    await until('two agents', () => starts(one).length === 2);
    run.signal('SIGINT');
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toMatch(/ralph run\b/);
    expect(starts(one)).toHaveLength(2);
    expect(agentsAlive(one)).toEqual([]);
    expect(one.git('rev-parse', 'main')).toBe(one.git('rev-parse', 'HEAD'));
    const rows = listOf((await ralph(one, ['loops', 'list', '--json'])).stdout, 'loops');
    expect(rows.map(({ status, next }) => [status, next])).toEqual(
      rows.map(({ id }) => ['interrupted', `ralph loops resume ${String(id)}`]),
    );
    go(one);
    // What the list names goes on with that one alone; the same command as before with everything.
    const [, ...words] = String(rows[0]?.['next']).split(' ');
    expect((await ralph(one, words)).code).toBe(0);
    expect(starts(one)).toHaveLength(3);
    expect(landedTasks(one.git, 'refs/paralph/int/main')).toEqual([rows[0]?.['task']]);
    const again = await ralph(one, RUN);
    expect(again.code).toBe(0);
    expect(landedTasks(one.git, 'refs/paralph/int/main').sort()).toEqual(['a', 'b', 'c']);
  });

  it('running again goes on where it stopped, counters kept', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a'],
      agent: {
        iterations: [
          [{ write: { path: 'one.txt', text: 'first iteration' } }],
          [{ waitForFile: { path: 'one.txt', timeoutMs: 1000 } }, wait(one), ...HONEST],
        ],
      },
    });
    const run = startRalph(one, RUN);
    await until('the second iteration', () => starts(one).some((call) => call.iteration === 2));
    run.signal('SIGINT');
    expect((await run.ended).code).toBe(130);
    go(one);
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(starts(one).filter((call) => call.iteration === 1)).toHaveLength(1);
    expect(new Set(starts(one).map((call) => call.cwd)).size).toBe(1);
    expect(one.git('show', 'main:one.txt')).toBe('first iteration');
  });

  it('an iteration limit counts over a stop', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a'],
      agent: {
        iterations: [
          [{ write: { path: '1.txt', text: '1' } }],
          [{ write: { path: '2.txt', text: '2' } }],
          [{ write: { path: beside(one, 'third'), text: '' } }, wait(one)],
          [{ write: { path: '4.txt', text: '4' } }],
        ],
      },
      config: { limits: { iterations: 4 } },
    });
    const run = startRalph(one, RUN);
    await until('the third iteration', () => existsSync(beside(one, 'third')));
    run.signal('SIGINT');
    await run.ended;
    go(one);
    expect((await ralph(one, RUN)).code).toBe(1);
    // Four that count, and the one that was interrupted.
    expect(starts(one).length).toBeLessThanOrEqual(5);
  });

  it('case 51: Ctrl-C twice: killed at once, all descendants gone', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a', 'b'],
      agent: [
        { ignoreTerm: true },
        { spawnSetsid: { sleepMs: 600_000, path: beside(one, 'child-${task}') } },
        { write: { path: beside(one, 'up-${task}'), text: '' } },
        { hang: true },
      ],
      config: { limits: { grace: '10m' } },
    });
    const run = startRalph(one, RUN, { timeoutMs: 30_000 });
    await until('both agents', () => ['a', 'b'].every((task) => existsSync(beside(one, `up-${task}`))));
    run.signal('SIGINT');
    await run.waitFor(/stopp|again|ctrl/i);
    run.signal('SIGINT');
    expect((await run.ended).code).toBe(130);
    expect(agentsAlive(one)).toEqual([]);
    const children = ['a', 'b'].map((task) => Number(readFileSync(beside(one, `child-${task}`), 'utf8')));
    await until('children gone', () => !children.some(isAlive), 5000);
    expect(processesOf(one.root)).toEqual([]);
  });

  it('an agent deaf to TERM is killed after its grace', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a'],
      agent: [{ ignoreTerm: true }, { write: { path: beside(one, 'up'), text: '' } }, { hang: true }],
      config: { limits: { grace: '200ms' } },
    });
    const run = startRalph(one, RUN, { timeoutMs: 30_000 });
    await until('the agent', () => existsSync(beside(one, 'up')));
    run.signal('SIGINT');
    expect((await run.ended).code).toBe(130);
    expect(agentsAlive(one)).toEqual([]);
  });

  it('case 51: SIGTERM: 143, as orderly as Ctrl-C', async () => {
    const one = scratch();
    project(one, { tasks: ['a'], agent: [wait(one), ...HONEST] });
    const run = startRalph(one, RUN);
    await until('the agent', () => starts(one).length === 1);
    run.signal('SIGTERM');
    expect((await run.ended).code).toBe(143);
    expect(agentsAlive(one)).toEqual([]);
    go(one);
    expect((await ralph(one, RUN)).code).toBe(0);
  });

  it('a child that left the agent’s session is gone when the iteration is over', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a'],
      agent: [{ spawnSetsid: { sleepMs: 600_000, path: beside(one, 'child') } }, ...HONEST],
    });
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(isAlive(Number(readFileSync(beside(one, 'child'), 'utf8')))).toBe(false);
  });

  it('what an interrupted agent had not committed is kept', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a'],
      agent: [
        { write: { path: 'precious.txt', text: 'half' } },
        { write: { path: beside(one, 'up'), text: '' } },
        wait(one),
      ],
    });
    const run = startRalph(one, RUN);
    await until('the agent', () => existsSync(beside(one, 'up')));
    run.signal('SIGINT');
    await run.ended;
    const cwd = starts(one)[0]?.cwd ?? '';
    const isInWorktree = existsSync(`${cwd}/precious.txt`);
    const isCommitted = one.git('log', '--all', '--format=%H', '--', 'precious.txt') !== '';
    expect(isInWorktree || isCommitted).toBe(true);
    expect((await ralph(one, ['parallel', 'clean'])).code).toBeLessThan(7);
    expect(
      existsSync(`${cwd}/precious.txt`) || one.git('log', '--all', '--format=%H', '--', 'precious.txt') !== '',
    ).toBe(true);
  });
});
