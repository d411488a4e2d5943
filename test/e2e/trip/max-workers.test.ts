import { writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import type { Call } from '../harness/project.ts';
import { calls, markdownTasks, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Running } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const FILES = { 'a.md': ['a1', 'a2', 'a3'], 'b.md': ['b1', 'b2'], 'c.md': ['c1', 'c2'] };

/** Every agent waits for a word, so that all who may work do so at once. */
function crowd(): Scratch {
  const one = scratch();
  project(one, {
    tasks: Object.fromEntries(Object.entries(FILES).map(([file, ids]) => [file, markdownTasks(ids)])),
    agent: [
      { waitForFile: { path: beside(one, 'go') } },
      { write: { path: '${task}.txt', text: 'made\n' } },
      { claim: true },
    ],
    config: { parallel: { enabled: true, max_workers: 2 }, gates: { commands: [] } },
  });
  return one;
}

const run = (one: Scratch, ...words: readonly string[]): Running => startRalph(one, ['run', '--events', ...words]);
const ofList = (some: readonly Call[]): readonly Call[] => some.filter(({ task }) => /^[abc]\d$/.test(task));
const atWork = (one: Scratch): readonly string[] =>
  ofList(starts(one))
    .map(({ task }) => task)
    .sort();

/** The most agents of task lists at work at the same time. */
function mostAtOnce(one: Scratch): number {
  let [now, most] = [0, 0];
  for (const { ended } of ofList(calls(one))) {
    now += ended === true ? -1 : 1;
    most = Math.max(most, now);
  }
  return most;
}

describe('max_workers', () => {
  it('trip 7: bounds the task lists of all hosts together; a prompt never waits, a larger flag raises it', async () => {
    const one = crowd();
    const first = run(one, '--tasks', 'a.md');
    await until('two agents', () => atWork(one).length === 2);
    const second = run(one, '--tasks', 'b.md');
    await second.waitFor(/"type":"host-joined"/);
    await second.waitFor(/waits for a free slot: 2 of at most 2 loops are at work/);
    const prompt = run(one, '--worktree', 'make something');
    await until('the agent of the prompt', () => starts(one).some(({ task }) => task.startsWith('make-something')));
    expect(atWork(one)).toEqual(['a1', 'a2']);
    const plan = await ralph(one, ['run', '--tasks', 'b.md', '--dry-run']);
    expect(plan.stdout).toMatch(/wait +b1 .*2 of at most 2 loops are at work.*max_workers/);
    const third = run(one, '--tasks', 'c.md', '--max-workers', '3');
    await until('a third agent', () => atWork(one).length === 3);
    expect(second.events().some(({ type }) => type === 'host-left')).toBe(false);
    writeFileSync(beside(one, 'go'), '');
    for (const host of [first, second, prompt, third]) {
      const { code, stderr } = await host.ended;
      expect(code, stderr).toBe(0);
    }
    expect(atWork(one)).toEqual(Object.values(FILES).flat());
    expect(mostAtOnce(one)).toBe(3);
  });

  it('trip 7: goes back when the host that raised it has left, and nobody leaves work behind that waits for room', async () => {
    const one = crowd();
    const wide = run(one, '--tasks', 'c.md', '--max-workers', '3');
    await until('two agents', () => atWork(one).length === 2);
    const first = run(one, '--tasks', 'a.md');
    await until('a third agent', () => atWork(one).length === 3);
    wide.signal('SIGINT');
    expect((await wide.ended).code).toBe(130);
    await until('another one', () => atWork(one).length === 4);
    const second = run(one, '--tasks', 'b.md');
    await second.waitFor(/"type":"host-joined"/);
    const again = await ralph(one, ['run', '--tasks', 'c.md', '--dry-run']);
    expect(again.stdout).not.toMatch(/resume|start/);
    writeFileSync(beside(one, 'go'), '');
    for (const host of [first, second]) expect((await host.ended).code).toBe(0);
    expect((await ralph(one, ['run', '--tasks', 'c.md'])).code).toBe(0);
  });
});
