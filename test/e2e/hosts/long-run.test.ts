import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gitSays } from '../harness/git.ts';
import { isAlive } from '../harness/processes.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { hasTmux, openTerminal } from '../harness/terminal.ts';
import { until } from '../harness/until.ts';
import { itNeeds } from '../../needs.ts';

const TASKS = ['a', 'b', 'c', 'd', 'e', 'f'];
const isLanded = (one: Scratch, task: string): boolean => gitSays(one.git, 'cat-file', '-e', `main:${task}.txt`);

/** Agents that work until a file of their task's name is there. */
function gated(one: Scratch, config: Parameters<typeof project>[1]['config'] = {}): (task: string) => void {
  project(one, {
    tasks: TASKS,
    agent: [{ waitForFile: { path: beside(one, 'go-${task}') } }, ...HONEST],
    config,
  });
  return (task) => writeFileSync(beside(one, `go-${task}`), '');
}

const begun = (one: Scratch): readonly string[] => starts(one).map(({ task }) => task);

describe('A18.11 a run that others act on', () => {
  it('pause lets nothing new start and what works go on; workers changes how many; unpause lets it go on', async () => {
    const one = scratch();
    const go = gated(one);
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '2']);
    await until('two at work', () => begun(one).length === 2);
    expect((await ralph(one, ['pause'])).stderr).toContain('ralph unpause');
    const [first = '', second = ''] = begun(one);
    go(first);
    await until('the first has landed', () => isLanded(one, first) || /landed/.test(run.output().stderr));
    expect(JSON.parse((await ralph(one, ['status', '--json'])).stdout)).toMatchObject({ paused: true });
    expect((await ralph(one, ['status'])).stdout).toContain('ralph unpause');
    expect(begun(one)).toHaveLength(2);
    expect((await ralph(one, ['workers', '4'])).stderr).toContain('at most 4 loops at work');
    expect((await ralph(one, ['unpause'])).code).toBe(0);
    await until('four at work', () => begun(one).length === 5);
    expect((await ralph(one, ['workers', '1'])).stderr).toContain('nothing new starts until fewer than 1');
    for (const task of [second, ...begun(one).slice(2)]) go(task);
    await until('the last one', () => begun(one).length === 6);
    for (const task of TASKS) go(task);
    expect((await run.ended).code).toBe(0);
    expect(TASKS.filter((task) => isLanded(one, task))).toEqual(TASKS);
  });

  it('a paused run does not end, and the next run begins to work', async () => {
    const one = scratch();
    const go = gated(one);
    const run = startRalph(one, ['run']);
    await until('one at work', () => begun(one).length === 1);
    await ralph(one, ['pause']);
    const [first = ''] = begun(one);
    go(first);
    await run.waitFor(/landed/);
    expect((await ralph(one, ['workers', '--json'])).stdout).toContain('"at_work": 0');
    run.signal('SIGTERM');
    expect((await run.ended).code).toBe(143);
    for (const task of TASKS) go(task);
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
    expect(TASKS.filter((task) => isLanded(one, task))).toEqual(TASKS);
  });

  it('says what is wrong with a number, and where there is no run', async () => {
    const one = scratch();
    gated(one);
    expect((await ralph(one, ['workers', '0'])).stderr).toContain('ralph pause');
    expect((await ralph(one, ['workers', 'many'])).code).toBe(2);
    expect((await ralph(one, ['workers', '3'])).stderr).toContain('ralph run --parallel --max-workers 3');
    const inside = await ralph(one, ['pause'], { env: { RALPH_LOOP_ID: 'a', RALPH_ITERATION: '1' } });
    expect(inside.stderr).toContain('E_NESTED');
  });
});

describe('A18.10 landing.max_waiting', () => {
  it('with two, the third of six does not start until one is read', async () => {
    const one = scratch();
    project(one, { tasks: TASKS, config: { parallel: { merge_policy: 'manual' }, landing: { max_waiting: 2 } } });
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '4']);
    await run.waitFor(/nothing new starts. Read them: ralph review/);
    expect(begun(one)).toHaveLength(2);
    expect((await ralph(one, ['status'])).stdout).toContain('2 wait for a review, of at most 2');
    const [first = ''] = begun(one);
    expect((await ralph(one, ['review', first, '--approve'])).code).toBe(0);
    await until('the third', () => begun(one).length === 3);
    for (let read = 1; read < TASKS.length; read += 1) {
      const next = begun(one)[read] ?? '';
      await until(`${next} is ready`, async () => (await ralph(one, ['review', next, '--approve'])).code === 0);
      await until('the next', () => begun(one).length >= Math.min(TASKS.length, read + 3));
    }
    expect((await run.ended).code).toBe(0);
    expect(TASKS.filter((task) => isLanded(one, task))).toEqual(TASKS);
  });
});

describe('A18.11 a run of its own', () => {
  itNeeds('tmux', hasTmux)('outlives the terminal it was started from, and ends as if it had stayed', async () => {
    const one = scratch();
    const go = gated(one);
    const terminal = openTerminal(one, ['run', '--parallel', '--max-workers', '2', '--detach']);
    const [, pid = ''] = await terminal.waitFor(/process (\d+)\. watch it: ralph watch/);
    expect(await terminal.ended()).toBe(0);
    terminal.ask('kill-server');
    await until('two at work', () => begun(one).length === 2);
    expect(isAlive(Number(pid))).toBe(true);
    await ralph(one, ['workers', '1']);
    const [first = '', second = ''] = begun(one);
    expect((await ralph(one, ['loops', 'stop', second, '--force'])).code).toBe(0);
    go(first);
    await until('the third', () => begun(one).length === 3);
    await ralph(one, ['workers', '4']);
    for (const task of TASKS) go(task);
    await until('it has ended', () => !isAlive(Number(pid)));
    expect(TASKS.filter((task) => !isLanded(one, task))).toEqual([second]);
  });

  it('what keeps it from starting is told at once, with the code of it', async () => {
    const one = scratch();
    project(one, { tasks: { 'notes.txt': 'none\n' } });
    const { code, stderr } = await ralph(one, ['run', '--detach']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('E_NO_TASKS')]);
    expect((await ralph(one, ['run', '--detach', '--dry-run'])).code).toBe(2);
  });

  itNeeds('tmux', hasTmux)(
    'on_hangup = "detach" goes on when its terminal is closed; else it stops in order',
    async () => {
      for (const [hangup, lands] of [
        ['detach', true],
        ['stop', false],
      ] as const) {
        const one = scratch();
        const go = gated(one, { run: { on_hangup: hangup } });
        const terminal = openTerminal(one, ['run', '--parallel', '--max-workers', '6']);
        await until('all at work', () => begun(one).length === 6);
        terminal.ask('kill-server');
        for (const task of TASKS) go(task);
        const isOver = async () =>
          (JSON.parse((await ralph(one, ['status', '--json'])).stdout) as { hosts: unknown[] }).hosts.length === 0;
        await until('it has ended', isOver);
        expect(TASKS.filter((task) => isLanded(one, task)).length === 6).toBe(lands);
        expect(existsSync(beside(one, 'go-a'))).toBe(true);
      }
    },
  );
});
