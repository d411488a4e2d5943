import { existsSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { landedTasks } from '../harness/git.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Running } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const RUN = ['run', '--parallel', '--max-workers', '2'];
/** One more than both runs have slots. */
const TASKS = ['t1', 't2', 't3', 't4', 't5'];

/** Agents that say they are there and go on when told. */
function prepared(tasks = TASKS): { readonly one: Scratch; readonly go: () => void; readonly here: () => string[] } {
  const one = scratch();
  project(one, {
    tasks,
    agent: [
      { write: { path: beside(one, 'here-${task}'), text: '' } },
      { waitForFile: { path: beside(one, 'go') } },
      ...HONEST,
    ],
  });
  return {
    one,
    go: () => writeFileSync(beside(one, 'go'), ''),
    here: () => tasks.filter((task) => existsSync(beside(one, `here-${task}`))),
  };
}

/** The second one lets more be at work than the first, all in all. */
async function bothAtWork(one: Scratch, here: () => readonly string[]): Promise<readonly [Running, Running]> {
  const first = startRalph(one, RUN);
  await until('two agents', () => here().length >= 2);
  const second = startRalph(one, ['run', '--parallel', '--max-workers', '4']);
  await until('four agents, two of each run', () => here().length >= 4);
  return [first, second];
}

describe('A9 two runs at once', () => {
  it('case 65: A9 a second run joins the first, both work, and no task runs twice; a third has nothing to do', async () => {
    const { one, go, here } = prepared();
    const runs = await bothAtWork(one, here);
    go();
    const results = await Promise.all(runs.map((run) => run.ended));
    expect(results.map((result) => result.code)).toEqual([0, 0]);
    expect(
      starts(one)
        .map((call) => call.task)
        .sort(),
    ).toEqual(TASKS);
    expect(landedTasks(one.git, 'refs/paralph/int/main')).toHaveLength(TASKS.length);
    expect(one.git('rev-parse', 'main')).toBe(one.git('rev-parse', 'refs/paralph/int/main'));
    const refs = one.git('rev-parse', 'main', 'refs/paralph/int/main');
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(starts(one)).toHaveLength(TASKS.length);
    expect(one.git('rev-parse', 'main', 'refs/paralph/int/main')).toBe(refs);
  });

  it('A9 kill -9 of one of two runs in the middle, run again: each landed exactly once', async () => {
    const { one, go, here } = prepared();
    const [victim, other] = await bothAtWork(one, here);
    victim.signal('SIGKILL');
    await victim.ended;
    go();
    expect([0, 1]).toContain((await other.ended).code);
    const again = await ralph(one, RUN);
    expect(again.code).toBe(0);
    const landed = landedTasks(one.git, 'refs/paralph/int/main');
    expect(landed).toHaveLength(TASKS.length);
    expect(new Set(landed).size).toBe(TASKS.length);
    for (const task of TASKS) expect(one.git('show', `main:${task}.txt`)).toBe(`made by ${task}`);
  });

  it('A9 kill -9 of the only run while agents work, run again: goes on and ends', async () => {
    const tasks = TASKS.slice(0, 3);
    const { one, go, here } = prepared(tasks);
    const run = startRalph(one, RUN);
    await until('two agents', () => here().length >= 2);
    run.signal('SIGKILL');
    await run.ended;
    go();
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(landedTasks(one.git, 'refs/paralph/int/main').sort()).toEqual(tasks);
  });
});
