import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Step } from '../../scripted/scenario.ts';
import { listOf } from '../harness/answers.ts';
import { parseEvents, tasksWith } from '../harness/events.ts';
import { everything } from '../harness/fingerprint.ts';
import { gitIn, gitSays, landedTasks, refsBelow } from '../harness/git.ts';
import { isAlive } from '../harness/processes.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { INT } from '../harness/values.ts';

const RUN = ['run', '--parallel', '--max-workers', '2'];

const rowOf = async (one: Scratch, task: string): Promise<Readonly<Record<string, unknown>> | undefined> =>
  listOf((await ralph(one, ['loops', 'list', '--all', '--json'])).stdout, 'loops').find((row) => row['task'] === task);
const stateOf = async (one: Scratch, task: string): Promise<unknown> => (await rowOf(one, task))?.['state'];
const whyOf = async (one: Scratch, task: string): Promise<unknown> => (await rowOf(one, task))?.['why'];

const branchOf = (one: Scratch, task: string): string =>
  refsBelow(one.git, 'refs/heads/ralph/').find((ref) => ref.includes(`/${task}-`)) ?? '';

/** Works, and waits for a word beside it. */
const waits = (one: Scratch, word: string, ...also: readonly Step[]): readonly Step[] => [
  ...also,
  { write: { path: 'half.txt', text: 'half\n' } },
  { waitForFile: { path: beside(one, word) } },
];

const working = async (one: Scratch, task: string): Promise<ReturnType<typeof starts>[number]> =>
  until(`${task} works`, () =>
    starts(one).find((call) => call.task === task && existsSync(join(call.cwd, 'half.txt'))),
  );

/** The agent ends with all it started, and the host that works meanwhile takes its loop up again. */
async function stoppedByForce(one: Scratch, host: number): Promise<void> {
  const { pid } = await working(one, 'deaf');
  const child = Number(
    await until(
      'its child',
      () => existsSync(beside(one, 'child')) && (readFileSync(beside(one, 'child'), 'utf8') || null),
    ),
  );
  const stopped = await ralph(one, ['loops', 'stop', 'deaf', '--force', '--json']);
  expect([stopped.code, listOf(stopped.stdout, 'stopped')[0]]).toMatchObject([0, { state: 'stopped' }]);
  expect([isAlive(pid), isAlive(child)]).toEqual([false, false]);
  const early = await ralph(one, ['land', 'deaf']);
  expect([early.code, early.stderr]).toEqual([
    2,
    expect.stringMatching(/not ready[\s\S]*fix: ralph loops resume deaf-/),
  ]);
  const resumed = await ralph(one, ['loops', 'resume', 'deaf', '--json']);
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining(`the host with process ${host}`)]);
  await until('it has landed', () => landedTasks(one.git, INT).includes('deaf'));
  expect(
    starts(one)
      .filter((call) => call.task === 'deaf')
      .map((call) => call.iteration),
  ).toEqual([1, 2]);
}

describe('a person stops a loop and lets it go on', () => {
  it('scenario 13, 15: at the iteration boundary, or at once with --force; its work is kept, and it goes on later', async () => {
    const one = scratch();
    const deaf = waits(
      one,
      'never',
      { ignoreTerm: true },
      { spawnSetsid: { sleepMs: 60_000, path: beside(one, 'child') } },
    );
    project(one, {
      tasks: ['a', 'deaf'],
      byTask: { a: { iterations: [waits(one, 'go'), HONEST] }, deaf: { iterations: [deaf, HONEST] } },
    });
    const run = startRalph(one, [...RUN, '--tasks', 'PRD.md']);
    await working(one, 'a');
    await stoppedByForce(one, run.pid);
    expect((await ralph(one, ['loops', 'stop', 'a'], { env: { RALPH_LOOP_ID: 'x' } })).stderr).toContain('E_NESTED');

    const stop = startRalph(one, ['loops', 'stop', 'a', '--json']);
    await stop.waitFor(/a-\S+ stops when its iteration ends\. at once: ralph loops stop a-\S+ --force/);
    expect((await ralph(one, ['loops', 'resume', 'a'], {})).code, 'the wish is taken back').toBe(0);
    const again = startRalph(one, ['loops', 'stop', 'a', '--json']);
    await again.waitFor(/stops when its iteration ends/);
    writeFileSync(beside(one, 'go'), '');
    const stopped = await again.ended;
    await stop.ended;
    expect(stopped.code).toBe(0);
    expect(listOf(stopped.stdout, 'stopped')).toMatchObject([{ task: 'a', state: 'stopped' }]);
    expect(stopped.stderr).toMatch(
      /a-\S+ is stopped; its work is on ralph\/a-\S+ to continue: ralph loops resume a-\S+/,
    );
    expect((await run.ended).code).toBe(1);
    expect(one.git('show', 'main:half.txt'), 'what the other one had made').toBe('half');
    expect(await stateOf(one, 'a')).toBe('stopped');
    expect(starts(one).filter((call) => call.task === 'a')).toHaveLength(1);

    expect((await ralph(one, RUN)).code, 'a run leaves it alone').toBe(1);
    const [first] = starts(one).filter((call) => call.task === 'a');
    writeFileSync(join(first?.cwd ?? '', 'by-hand.txt'), 'mine\n');
    const resumed = await ralph(one, ['loops', 'resume', 'a'], { cwd: first?.cwd ?? '' });
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining('is landed: as')]);
    expect(starts(one).filter((call) => call.task === 'a')).toHaveLength(2);
    expect(one.git('show', 'main:by-hand.txt')).toBe('mine');
    expect((await ralph(one, ['loops', 'resume', 'a'])).stderr).toContain('cannot resume: it is landed');
    expect((await ralph(one, ['loops', 'stop', 'a'])).code).toBe(2);
    expect((await ralph(one, ['loops', 'stop'])).stderr).toContain('no loop works');

    const before = everything(join(one.repo, '.git/paralph/log'));
    // The other commands that take an id are asked the same in hostile-names.test.ts.
    for (const command of ['resume', 'publish-review', 'steer']) {
      const words = command === 'steer' ? ['nobody', 'text'] : ['nobody'];
      const none = await ralph(one, ['loops', command, ...words]);
      expect([command, none.code, none.stderr]).toEqual([command, 2, expect.stringContaining('E_UNKNOWN_ID')]);
    }
    expect(everything(join(one.repo, '.git/paralph/log'))).toEqual(before);
  });

  it('scenario 14: without host and worktree it is still running until it really ends', async () => {
    const one = scratch();
    const deaf = waits(one, 'never', { ignoreTerm: true });
    const other = waits(one, 'never');
    project(one, {
      tasks: ['a', 'b'],
      byTask: { a: { iterations: [deaf, HONEST] }, b: { iterations: [other, HONEST] } },
    });
    const run = startRalph(one, RUN);
    const { pid, cwd } = await working(one, 'a');
    const heeds = await working(one, 'b');
    run.signal('SIGKILL');
    await run.ended;
    // Nobody wrote down that the host died, and still it is not waited for.
    expect((await ralph(one, ['loops', 'stop', 'b'])).code).toBe(0);
    expect([isAlive(heeds.pid), await stateOf(one, 'b')]).toEqual([false, 'stopped']);
    rmSync(cwd, { recursive: true });
    const asked = await ralph(one, ['loops', 'stop', 'a']);
    expect([asked.code, asked.stderr]).toEqual([5, expect.stringMatching(/is still running[\s\S]*--force/)]);
    expect([isAlive(pid), await stateOf(one, 'a')]).toEqual([true, 'stopped']);
    expect((await ralph(one, ['loops', 'stop', 'a', '--force'])).code).toBe(0);
    expect([isAlive(pid), await stateOf(one, 'a')]).toEqual([false, 'stopped']);
    const resumed = await ralph(one, ['loops', 'resume', 'a', '--json']);
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining('is landed: as')]);
  });
});

describe('a person lands loops', () => {
  it('scenario 7, 8, 9, 23, 31, 32: ten land in the order they became ready, with no agent, and only what can', async () => {
    const one = scratch();
    const tasks = ['t9', 't3', 't7', 't1', 't5', 't0', 't8', 't2', 't6', 't4', 'last'];
    const [hold, gated] = [beside(one, 'hold'), beside(one, 'gated')];
    project(one, {
      tasks,
      config: {
        parallel: { merge_policy: 'manual' },
        gates: { commands: [`while test -e ${hold}; do : > ${gated}; sleep 0.1; done`] },
      },
    });
    const run = await ralph(one, ['run', '--parallel', '--max-workers', '4', '--events']);
    expect(run.code).toBe(0);
    const order = tasksWith(parseEvents(run.stdout), 'loop-ready').filter((task) => task !== 'last');
    const ready = await ralph(one, ['loops', 'retry', 't1']);
    expect([ready.code, ready.stderr]).toEqual([
      2,
      expect.stringMatching(/was not parked at landing: it is ready[^]*only a loop that was parked at landing/),
    ]);
    writeFileSync(hold, '');
    one.put('user.txt', 'mine\n');
    one.git('add', '-A');
    one.git('commit', '-qm', 'Go on');
    const landing = startRalph(one, ['loops', 'merge', 'last']);
    await until('its gate runs', () => existsSync(gated));
    expect(await stateOf(one, 'last')).toBe('landing');
    expect(await whyOf(one, 't1')).toMatch(/; process \d+ lands other work now$/);
    const busy = await ralph(one, ['loops', 'merge', 'last']);
    expect([busy.code, busy.stderr]).toEqual([5, expect.stringMatching(/being merged at this moment[\s\S]*--force/)]);
    rmSync(hold);
    expect((await ralph(one, ['loops', 'merge', 'last', '--force'])).code).toBe(0);
    expect((await landing.ended).code).toBe(0);
    expect(await whyOf(one, 't1')).toMatch(/a person lands it$/);
    const merged = await ralph(one, ['loops', 'merge', 'last', '--json']);
    expect([merged.code, merged.stderr]).toEqual([0, expect.stringContaining('has landed already')]);
    const late = await ralph(one, ['loops', 'retry', 'last']);
    expect([late.code, late.stderr]).toEqual([2, expect.stringContaining('is landed: as')]);

    const heads = order.map((task) => one.git('rev-parse', branchOf(one, task)));
    expect((await ralph(one, ['loops', 'process'])).code).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['last', ...order]);
    for (const head of heads) expect(gitSays(one.git, 'merge-base', '--is-ancestor', head, 'main')).toBe(true);
    expect(starts(one), 'no agent lands anything').toHaveLength(tasks.length);
  });

  it('scenario 7, 33: of two that conflict one lands; the other can be tried again, mended by hand, and landed', async () => {
    const one = scratch();
    const same = (task: string): readonly Step[] => [
      { write: { path: 'same.txt', text: `${task}\n` } },
      { claim: true },
    ];
    project(one, {
      tasks: ['a', 'b', 'spare'],
      byTask: { a: same('a'), b: same('b') },
      config: { parallel: { merge_policy: 'manual' }, 'parallel.conflict_resolution': { strategy: 'stop' } },
    });
    expect((await ralph(one, ['run'])).code).toBe(0);
    await ralph(one, ['loops', 'discard', 'spare', '-y']);
    for (const command of ['merge', 'retry', 'resume']) {
      const gone = await ralph(one, ['loops', command, 'spare']);
      expect([command, gone.code, gone.stderr]).toEqual([command, 2, expect.stringContaining('discarded')]);
    }
    expect((await ralph(one, ['loops', 'process'])).code).toBe(1);
    const branch = branchOf(one, 'b');
    expect([await stateOf(one, 'a'), await stateOf(one, 'b')]).toEqual(['landed', 'parked']);
    expect(one.git('show', 'main:same.txt')).toBe('a');
    expect((await ralph(one, ['loops', 'retry', 'b'])).code).toBe(1);
    expect(await stateOf(one, 'b')).toBe('parked');
    const git = gitIn(starts(one).find((call) => call.task === 'b')?.cwd ?? '', one.env);
    gitSays(git, 'merge', '-q', 'main');
    writeFileSync(join(starts(one).find((call) => call.task === 'b')?.cwd ?? '', 'same.txt'), 'a\nb\n');
    git('commit', '-qam', 'Merge by hand');
    expect(one.git('rev-parse', branch)).toBe(git('rev-parse', 'HEAD'));
    expect((await ralph(one, ['loops', 'retry', 'b'])).code).toBe(0);
    expect(one.git('show', 'main:same.txt')).toBe('a\nb');
    expect(starts(one)).toHaveLength(3);
  });
});
