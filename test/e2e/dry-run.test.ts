import { describe, expect, it } from 'vitest';

import { planOf } from './harness/answers.ts';
import { claimedTasks, parseEvents } from './harness/events.ts';
import { differences, everything } from './harness/fingerprint.ts';
import { processesOf } from './harness/processes.ts';
import { project, starts } from './harness/project.ts';
import { ralph } from './harness/ralph.ts';
import type { Scratch } from './harness/scratch.ts';
import { scratch } from './harness/scratch.ts';

const RUN = ['run', '--parallel', '--max-workers', '3'];

const STORIES = {
  stories: [
    { id: 'late', title: 'No hurry', priority: 9 },
    { id: 'done', title: 'Done', passes: true },
    { id: 'stuck', title: 'Stuck', status: 'blocked', priority: 1 },
    { id: 'auth-1', title: 'Auth', group: 'auth', priority: 2 },
    { id: 'auth-2', title: 'More auth', group: 'auth', priority: 2 },
    { id: 'after', title: 'After', depends_on: ['late'], priority: 1 },
    { id: 'first', title: 'First', priority: 1 },
    { id: 'none', title: 'Without priority' },
  ],
};

function prepared(): Scratch {
  const one = scratch();
  project(one, { tasks: { 'prd.json': JSON.stringify(STORIES, null, 2) } });
  return one;
}

describe('A8 dry run', () => {
  it('A8 changes no file, no ref, starts no process', async () => {
    const one = prepared();
    const before = everything(one.repo);
    const home = everything(one.home);
    const { code } = await ralph(one, [...RUN, '--dry-run']);
    expect(code).toBe(0);
    expect(differences(before, everything(one.repo))).toEqual([]);
    expect(differences(home, everything(one.home))).toEqual([]);
    expect(processesOf(one.root)).toEqual([]);
    expect(starts(one)).toEqual([]);
  });

  it('A8 changes nothing after a run either', async () => {
    const one = prepared();
    await ralph(one, RUN);
    const before = everything(one.repo);
    await ralph(one, [...RUN, '--dry-run', '--json']);
    expect(differences(before, everything(one.repo))).toEqual([]);
  });

  it('A8 S2.9 its list equals what the real run starts, and it says why not the rest', async () => {
    const one = prepared();
    const plan = planOf((await ralph(one, [...RUN, '--dry-run', '--json'])).stdout);
    expect(plan.start).toEqual(['first', 'auth-1', 'late']);
    const why = Object.fromEntries(plan.waiting.map((one) => [one.task, one.why]));
    expect(
      Object.keys(why)
        .filter((id) => id !== 'done')
        .sort(),
    ).toEqual(['after', 'auth-2', 'none', 'stuck']);
    expect(why['after']).toContain('late');
    expect(why['auth-2']).toMatch(/auth/);
    expect(why['stuck']).toMatch(/block/i);
    expect(why['none']).toMatch(/slot|worker|room|busy|max/i);
    const events = parseEvents((await ralph(one, [...RUN, '--events'])).stdout);
    expect(claimedTasks(events).slice(0, plan.start.length)).toEqual(plan.start);
  });

  it('A8 the plain list has the same order', async () => {
    const one = prepared();
    const { stdout } = await ralph(one, [...RUN, '--dry-run']);
    const places = ['first', 'auth-1', 'late'].map((id) => stdout.search(new RegExp(`\\b${id}\\b`)));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(stdout).toContain('stuck');
  });

  it('A8 without --parallel it starts one', async () => {
    const one = prepared();
    const plan = planOf((await ralph(one, ['run', '--dry-run', '--json'])).stdout);
    expect(plan.start).toEqual(['first']);
  });
});
