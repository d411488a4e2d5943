import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import type { Step } from '../../scripted/scenario.ts';
import { listOf, summaryOf } from '../harness/answers.ts';
import { landedTasks } from '../harness/git.ts';
import { isAlive, processesOf } from '../harness/processes.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

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
    expect(rows.map(({ reason, next }) => [reason, next])).toEqual(
      rows.map(({ id }) => ['host-stopped', `ralph loops resume ${String(id)}`]),
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

  it('running again goes on where it stopped: counters, worktrees and what was not committed are kept', async () => {
    const one = scratch();
    const up = (name: string): Step => ({ write: { path: beside(one, name), text: '' } });
    project(one, {
      tasks: ['goes-on', 'limited', 'half'],
      byTask: {
        'goes-on': {
          iterations: [
            [{ write: { path: 'one.txt', text: 'first iteration' } }],
            [
              { waitForFile: { path: 'one.txt', timeoutMs: 1000 } },
              wait(one),
              { spawnSetsid: { sleepMs: 600_000, path: beside(one, 'child') } },
              ...HONEST,
            ],
          ],
        },
        limited: {
          iterations: [
            [{ write: { path: '1.txt', text: '1' } }],
            [{ write: { path: '2.txt', text: '2' } }],
            [up('third'), wait(one)],
            [{ write: { path: '4.txt', text: '4' } }],
          ],
        },
        half: [{ write: { path: 'precious.txt', text: 'half' } }, up('half'), wait(one), ...HONEST],
      },
      config: { limits: { iterations: 4 } },
    });
    const startsOf = (task: string) => starts(one).filter((call) => call.task === task);
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '3']);
    await until('all wait', () => {
      const isSecond = startsOf('goes-on').some((call) => call.iteration === 2);
      return isSecond && existsSync(beside(one, 'third')) && existsSync(beside(one, 'half'));
    });
    run.signal('SIGINT');
    expect((await run.ended).code).toBe(130);
    const isPrecious = (): boolean =>
      existsSync(`${startsOf('half')[0]?.cwd}/precious.txt`) ||
      one.git('log', '--all', '--format=%H', '--', 'precious.txt') !== '';
    expect(isPrecious()).toBe(true);
    expect((await ralph(one, ['parallel', 'clean'])).code).toBeLessThan(7);
    expect(isPrecious()).toBe(true);
    go(one);
    const { code, stdout } = await ralph(one, [...RUN, '--json']);
    expect([code, summaryOf(stdout)]).toMatchObject([
      1,
      { landed: ['goes-on', 'half'], parked: [{ task: 'limited', reason: 'iterations' }] },
    ]);
    expect(startsOf('goes-on').filter((call) => call.iteration === 1)).toHaveLength(1);
    expect(new Set(startsOf('goes-on').map((call) => call.cwd)).size).toBe(1);
    expect(one.git('show', 'main:one.txt')).toBe('first iteration');
    expect(isAlive(Number(readFileSync(beside(one, 'child'), 'utf8'))), 'a child of a session of its own').toBe(false);
    // Four that count, and the one that was interrupted.
    expect(startsOf('limited').length).toBeLessThanOrEqual(5);
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
    const run = startRalph(one, RUN);
    await until('both agents', () => ['a', 'b'].every((task) => existsSync(beside(one, `up-${task}`))));
    run.signal('SIGINT');
    await run.waitFor(/stopp|again|ctrl/i);
    run.signal('SIGINT');
    expect((await run.ended).code).toBe(130);
    expect(agentsAlive(one)).toEqual([]);
    const children = ['a', 'b'].map((task) => Number(readFileSync(beside(one, `child-${task}`), 'utf8')));
    await until('children gone', () => !children.some(isAlive));
    await until('everything gone', () => processesOf(one.root).length === 0);
  });

  it('case 51: SIGTERM: 143, as orderly as Ctrl-C; an agent deaf to TERM is killed after its grace', async () => {
    const one = scratch();
    const up: Step = { write: { path: beside(one, 'up'), text: '' } };
    project(one, {
      tasks: ['a', 'deaf'],
      agent: [wait(one), ...HONEST],
      byTask: { deaf: { iterations: [[{ ignoreTerm: true }, up, { hang: true }], HONEST] } },
      config: { limits: { grace: '200ms' } },
    });
    const run = startRalph(one, RUN);
    await until('the agents', () => starts(one).length === 2 && existsSync(beside(one, 'up')));
    run.signal('SIGTERM');
    expect((await run.ended).code).toBe(143);
    expect(agentsAlive(one)).toEqual([]);
    go(one);
    expect((await ralph(one, RUN)).code).toBe(0);
  });
});
