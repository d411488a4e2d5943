import { describe, expect, it } from 'vitest';

import { planOf } from '../harness/answers.ts';
import { claimedTasks, parseEvents } from '../harness/events.ts';
import { differences, everything } from '../harness/fingerprint.ts';
import { processesOf } from '../harness/processes.ts';
import { project, starts } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

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
  it('A8 S2.9 tells what a run would start, why not the rest, changes nothing, and the run does it', async () => {
    const one = prepared();
    const before = everything(one.repo);
    const home = everything(one.home);
    const plain = await ralph(one, [...RUN, '--dry-run']);
    expect(plain.code).toBe(0);
    const places = ['first', 'auth-1', 'late'].map((id) => plain.stdout.search(new RegExp(`\\b${id}\\b`)));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(plain.stdout).toContain('stuck');
    const alone = planOf((await ralph(one, ['run', '--dry-run', '--json'])).stdout);
    expect(alone.start).toEqual(['first']);

    const plan = planOf((await ralph(one, [...RUN, '--dry-run', '--json'])).stdout);
    expect(plan.start).toEqual(['first', 'auth-1', 'late']);
    const why = Object.fromEntries(plan.waiting.map(({ task, why: reason }) => [task, reason]));
    expect(
      Object.keys(why)
        .filter((id) => id !== 'done')
        .sort(),
    ).toEqual(['after', 'auth-2', 'none', 'stuck']);
    expect(why['after']).toContain('late');
    expect(why['auth-2']).toMatch(/auth/);
    expect(why['stuck']).toMatch(/block/i);
    expect(why['none']).toMatch(/slot|worker|room|busy|max/i);
    expect(differences(before, everything(one.repo))).toEqual([]);
    expect(differences(home, everything(one.home))).toEqual([]);
    expect(processesOf(one.root)).toEqual([]);
    expect(starts(one)).toEqual([]);

    const events = parseEvents((await ralph(one, [...RUN, '--events'])).stdout);
    expect(claimedTasks(events).slice(0, plan.start.length)).toEqual(plan.start);
    const after = everything(one.repo);
    await ralph(one, [...RUN, '--dry-run', '--json']);
    expect(differences(after, everything(one.repo))).toEqual([]);
  });
});
