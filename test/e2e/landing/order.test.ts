import { describe, expect, it } from 'vitest';

import type { Step } from '../../scripted/scenario.ts';
import { summaryOf } from '../harness/answers.ts';
import { claimedTasks, parseEvents, spanOf, tasksWith } from '../harness/events.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

const RUN = ['run', '--parallel', '--max-workers', '2'];
const needs = (path: string): Step => ({ waitForFile: { path, timeoutMs: 1000 } });

const CHAIN = `tasks:
  - id: c
    title: C
    depends_on: [b]
  - id: b
    title: B
    depends_on: [a]
  - id: a
    title: A
`;

describe('order', () => {
  it('scenario 42: dependencies: a task starts when what it needs has landed, and sees it', async () => {
    const one = scratch();
    project(one, {
      tasks: { 'tasks.yaml': CHAIN },
      byTask: { b: [needs('a.txt'), ...HONEST], c: [needs('a.txt'), needs('b.txt'), ...HONEST] },
    });
    const { code, stdout } = await ralph(one, [...RUN, '--events']);
    expect(code).toBe(0);
    const events = parseEvents(stdout);
    expect(claimedTasks(events)).toEqual(['a', 'b', 'c']);
    expect(spanOf(events, 'b').from).toBeGreaterThan(spanOf(events, 'a').to);
  });

  it('dependencies with policy manual: the dependent starts from the branch that is ready', async () => {
    const one = scratch();
    project(one, {
      tasks: { 'tasks.yaml': CHAIN },
      byTask: { b: [needs('a.txt'), ...HONEST], c: [needs('a.txt'), needs('b.txt'), ...HONEST] },
      config: { parallel: { merge_policy: 'manual' } },
    });
    const { code, stdout } = await ralph(one, [...RUN, '--json']);
    expect(code).toBe(0);
    expect(summaryOf(stdout).ready).toEqual(['a', 'b', 'c']);
    expect((await ralph(one, ['land', '--all'])).code).toBe(0);
    for (const task of ['a', 'b', 'c']) expect(one.git('show', `main:${task}.txt`)).toBe(`made by ${task}`);
  });

  it('a dependent of a parked task never starts, and the summary says why', async () => {
    const one = scratch();
    project(one, {
      tasks: { 'tasks.yaml': CHAIN },
      byTask: { a: [{ exit: 3 }] },
      config: { limits: { consecutive_failures: 1 } },
    });
    const { code, stderr } = await ralph(one, RUN);
    expect(code).toBe(1);
    expect(starts(one).map((call) => call.task)).toEqual(['a']);
    expect(stderr).toMatch(/\bb\b.*\ba\b/);
  });

  it('priority: lower first, without one last, file order among equals; what is blocked or done never starts', async () => {
    const one = scratch();
    const stories = [
      { id: 'no', title: 'No', priority: 1, status: 'blocked' },
      { id: 'was', title: 'Was', priority: 1, passes: true },
      { id: 'none', title: 'None' },
      { id: 'one-b', title: 'One', priority: 1 },
      { id: 'one-a', title: 'One', priority: 1 },
      { id: 'two', title: 'Two', priority: 2 },
    ];
    project(one, { tasks: { 'prd.json': JSON.stringify({ stories }) } });
    const { stdout } = await ralph(one, ['run', '--parallel', '--max-workers', '1', '--events']);
    expect(claimedTasks(parseEvents(stdout))).toEqual(['one-b', 'one-a', 'two', 'none']);
  });

  it('S2.1, scenario 42: work-conserving: a free slot is filled at once, no waves, and never more agents than max_workers', async () => {
    const one = scratch();
    // The long task ends only after the last of the short ones has begun beside it.
    project(one, {
      tasks: ['long', 's1', 's2', 's3'],
      byTask: {
        long: [{ waitForFile: { path: beside(one, 'last') } }, ...HONEST],
        s3: [{ write: { path: beside(one, 'last'), text: '' } }, ...HONEST],
      },
    });
    const { code, stdout } = await ralph(one, [...RUN, '--events']);
    expect(code).toBe(0);
    const events = parseEvents(stdout);
    expect(tasksWith(events, 'loop-landed').sort()).toEqual(['long', 's1', 's2', 's3']);
    const slots = events.filter((event) => event.type === 'task-claimed').map((event) => event.slot);
    expect(new Set(slots).size).toBeLessThanOrEqual(2);
    expect(starts(one)).toHaveLength(4);
  });
});
