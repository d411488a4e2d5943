import { writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { landedTasks } from '../harness/git.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { KEEP_BOTH, NO_MARKERS } from '../harness/storm.ts';
import {
  barrier,
  CLAIM,
  iterationsOf,
  OWN_FILE,
  readyTrain,
  trainProject,
  userCommits,
  watchedGate,
} from '../harness/train.ts';
import type { WatchedGate } from '../harness/train.ts';
import { accountFor, alwaysGreen, INT } from '../harness/values.ts';
import { until } from '../harness/until.ts';

const TASKS = ['t1', 't2', 't3', 't4'];
const APPENDS = `if grep -q '^<<<<<<<' list.txt; then ${KEEP_BOTH}; else grep -q "^$RALPH_TASK_ID$" list.txt || echo $RALPH_TASK_ID >> list.txt; fi`;

const gateOf = (one: Scratch): WatchedGate => watchedGate(one, 'test ! -e BROKEN');

/** Four that are ready, and a commit of the user's, so that a train has to run gates. */
const ready = savedScene(async (one) => {
  await readyTrain(one, { tasks: TASKS, gate: gateOf(one), script: `${OWN_FILE}; ${CLAIM}` });
  userCommits(one, { 'mine.txt': 'mine\n' });
});

describe('S1.5 a train whose host is killed', () => {
  it('kill -9 while its gate is under way, of the next host likewise: the one after that lands everything, once', async () => {
    const one = await ready();
    const gate = gateOf(one);
    gate.hold();
    const before = gate.runs();
    for (let nth = 0; nth <= 1; nth += 1) {
      const host = startRalph(one, ['land', '--all']);
      await gate.begun(before + 1 + nth);
      host.signal('SIGKILL');
      await host.ended;
    }
    expect(landedTasks(one.git, INT)).toEqual([]);
    gate.letGo();
    const { code, stderr } = await ralph(one, ['land', '--all']);
    expect(code, stderr).toBe(0);
    expect(accountFor(one, TASKS, 'main').landed).toEqual(TASKS);
    alwaysGreen(one, gate.truth);
  });

  it('kill -9 while work that did not merge is mended: the next run goes on with it', async () => {
    const one = scratch();
    const gate = watchedGate(one, NO_MARKERS);
    const go = beside(one, 'go');
    trainProject(one, {
      tasks: ['left', 'right'],
      gate,
      files: { 'list.txt': 'the list\n' },
      script: `if [ $RALPH_ITERATION = 1 ]; then ${barrier(one, 2)}; else while ! test -e ${go}; do sleep 0.1; done; fi; ${APPENDS}; ${CLAIM}`,
    });
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '2']);
    const mending = (): boolean => ['left', 'right'].some((task) => iterationsOf(one, 'shell', task) === 2);
    await until('the one that is mended', mending);
    run.signal('SIGKILL');
    await run.ended;
    const next = startRalph(one, ['run', '--parallel', '--max-workers', '2']);
    await next.waitFor(/continues|adopt|takes over|slot/);
    writeFileSync(go, '');
    const { code, stderr } = await next.ended;
    expect(code, stderr).toBe(0);
    expect(one.git('show', 'main:list.txt').split('\n').sort()).toEqual(['left', 'right', 'the list']);
    alwaysGreen(one, gate.truth);
  });
});

describe('S1.5 two hosts', () => {
  it('a conflict storm in two runs at once: every line is on main once', async () => {
    const one = scratch();
    const gate = watchedGate(one, NO_MARKERS);
    // One more than the first run has slots; the second one raises the bound of both together.
    const tasks = TASKS.slice(0, 3);
    trainProject(one, {
      tasks,
      gate,
      files: { 'list.txt': 'the list\n' },
      script: `if [ $RALPH_ITERATION = 1 ]; then ${barrier(one, 3)}; fi; ${APPENDS}; ${CLAIM}`,
    });
    const runs = ['2', '3'].map((slots) => startRalph(one, ['run', '--parallel', '--max-workers', slots]));
    const ended = await Promise.all(runs.map((run) => run.ended));
    expect(
      ended.map(({ code }) => code),
      ended.map(({ stderr }) => stderr).join('\n--\n'),
    ).toEqual([0, 0]);
    expect(one.git('show', 'main:list.txt').split('\n').sort()).toEqual(['the list', ...tasks].sort());
    expect(landedTasks(one.git, INT).sort()).toEqual(tasks);
    alwaysGreen(one, gate.truth);
  });

  it('ralph land twice at the same time: each task lands once', async () => {
    const one = await ready();
    const hosts = [1, 2].map(() => startRalph(one, ['land', '--all']));
    const ended = await Promise.all(hosts.map((host) => host.ended));
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    expect(landedTasks(one.git, 'main').sort()).toEqual(TASKS);
    expect(accountFor(one, TASKS, 'main').landed).toEqual(TASKS);
    alwaysGreen(one, gateOf(one).truth);
  });
});
