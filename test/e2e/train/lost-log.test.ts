import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { wholeLines } from '../harness/events.ts';
import { landedTasks } from '../harness/git.ts';
import { isAlive, processesOf } from '../harness/processes.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { CLAIM, iterationsOf, OWN_FILE, trainProject, userCommits, watchedGate } from '../harness/train.ts';
import { until } from '../harness/until.ts';
import { INT } from '../harness/values.ts';

const RUN = ['run', '--parallel', '--max-workers', '2'];
const row = (id: string): string => `- [ ] Make ${id} <!-- id: ${id} -->\n`;

/** Landed by each of the methods, of a task file that git does not know. */
const METHODS = { t1: 'merge', t2: 'squash', t3: 'rebase' };
const LANDED = Object.keys(METHODS);

const landed = savedScene(async (one) => {
  const gate = watchedGate(one, 'test ! -e BROKEN');
  one.put('.gitignore', 'PRD.md\n');
  const config = { parallel: { merge_policy: 'manual' } };
  trainProject(one, { tasks: LANDED, gate, script: `${OWN_FILE}; ${CLAIM}`, config });
  expect(one.git('ls-files')).not.toContain('PRD.md');
  const lands = Object.entries(METHODS).map(([task, method]) => ['land', task, '--set', `landing.method=${method}`]);
  for (const words of [RUN, ...lands]) {
    const { code, stderr } = await ralph(one, words, { isCheckoutGuarded: false });
    expect(code, stderr).toBe(0);
  }
  expect(landedTasks(one.git, INT)).toEqual(LANDED);
});

/** Everything we know is gone, and the task file has no ticks and one task more. */
function lose(one: Scratch): void {
  const state = join(one.repo, '.git/paralph');
  expect(existsSync(join(state, 'log'))).toBe(true);
  rmSync(state, { recursive: true });
  one.put('PRD.md', `## Tasks\n\n${[...LANDED, 'next'].map(row).join('')}`);
}

async function onlyTheNext(one: Scratch): Promise<void> {
  const words = [...RUN, '--set', 'parallel.merge_policy=auto_merge'];
  const { code, stderr } = await ralph(one, words, { isCheckoutGuarded: false });
  expect(code, stderr).toBe(0);
  expect([...LANDED, 'next'].map((task) => iterationsOf(one, 'shell', task))).toEqual([1, 1, 1, 1]);
  const { stdout } = await ralph(one, ['tasks', 'list', '--json']);
  const { tasks } = JSON.parse(stdout) as { tasks: { id: string; state: string }[] };
  expect(tasks.map(({ id, state }) => `${id} ${state}`)).toEqual([...LANDED, 'next'].map((task) => `${task} landed`));
}

describe('S1.5 the log is lost', () => {
  it('what history tells to have landed, by whatever method, neither runs nor lands again, also where a person said something to the new log before', async () => {
    const one = await landed();
    lose(one);
    for (const word of ['pause', 'resume']) expect((await ralph(one, ['queue', word])).code).toBe(0);
    await onlyTheNext(one);
    expect(landedTasks(one.git, INT)).toEqual([...LANDED, 'next']);
  });

  it('also where the user has merged what landed themselves, so that it is on a side line', async () => {
    const one = await landed();
    one.git('checkout', '-q', '-b', 'own', 'main~3');
    userCommits(one, { 'mine.txt': 'mine\n' });
    one.git('merge', '-q', '--no-edit', 'main');
    one.git('checkout', '-q', 'main');
    one.git('merge', '-q', '--ff-only', 'own');
    lose(one);
    await onlyTheNext(one);
  });
});

/** One has landed, one is ready; the next two get stuck half done, one with a commit and one without. */
const halfDone = savedScene(async (one) => {
  const wait = `echo $$ >> ${beside(one, 'begun')}; while ! test -e ${beside(one, 'go')}; do sleep 0.1; done`;
  const script = [
    'case $RALPH_TASK_ID in',
    't3) test -e t3-first.txt || { echo first > t3-first.txt; git add -A; git commit -qm first; };;',
    't4) test -e t4-first.txt || echo first > t4-first.txt;;',
    `esac`,
    `case $RALPH_TASK_ID in t3|t4) ${wait};; esac`,
    `${OWN_FILE}; ${CLAIM}`,
  ].join('\n');
  const config = { parallel: { merge_policy: 'manual' }, landing: { publish: 'manual' } };
  trainProject(one, { tasks: ['t1', 't2'], gate: watchedGate(one, 'test ! -e BROKEN'), script, config });
  for (const words of [RUN, ['land', 't1']]) {
    const { code, stderr } = await ralph(one, words);
    expect(code, stderr).toBe(0);
  }
  expect(landedTasks(one.git, INT)).toEqual(['t1']);
  userCommits(one, { 'PRD.md': `## Tasks\n\n${['t1', 't2', 't3', 't4'].map(row).join('')}` });
});

describe('case 62: the log is lost in the middle of a run', () => {
  it.each(['killed', 'running'])('that is %s: everything lands once, and nothing is done over', async (how) => {
    const one = await halfDone();
    const [go, begun] = [beside(one, 'go'), beside(one, 'begun')];
    const killed = startRalph(one, RUN);
    const pids = (): string[] => (existsSync(begun) ? wholeLines(readFileSync(begun, 'utf8')) : []);
    await until('both agents half done', () => pids().length === 2);
    const state = join(one.repo, '.git/paralph');
    if (how === 'killed') killed.signal('SIGKILL');
    else rmSync(state, { recursive: true, maxRetries: 5 });
    const end = await killed.ended;
    if (how === 'running')
      expect(end, end.stderr).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(/removed while it was in use[^]*running agents continue/) as string,
      });
    expect(processesOf(one.root).filter(({ isLoops }) => isLoops)).not.toEqual([]);
    rmSync(state, { recursive: true, force: true });
    for (const name of ['state.json', '.gitignore', 'logs'])
      rmSync(join(one.repo, '.ralph', name), { recursive: true });
    const old = pids();
    const next = startRalph(one, [...RUN, '--set', 'parallel.merge_policy=auto_merge', '--publish', 'end']);
    await until('two other agents', () => pids().length === 4);
    expect(old.map(Number).filter(isAlive)).toEqual([]);
    writeFileSync(go, '');
    const { code, stderr } = await next.ended;
    expect(code, stderr).toBe(0);
    expect(landedTasks(one.git, 'main').sort()).toEqual(['t1', 't2', 't3', 't4']);
    for (const file of ['t1', 't2', 't3', 't4', 't3-first', 't4-first'])
      expect(one.git('show', `main:${file}.txt`)).not.toBe('');
    expect(['t1', 't2'].map((task) => iterationsOf(one, 'shell', task))).toEqual([1, 1]);
    expect(one.git('branch', '--list', 'ralph/*')).toBe('');
    expect(existsSync(join(one.repo, '.ralph/state.json'))).toBe(true);
  });
});
