import { describe, expect, it } from 'vitest';

import { idOf, listOf, summaryOf } from '../harness/answers.ts';
import { landedTasks } from '../harness/git.ts';
import { HONEST, project, starts, writeScenario } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const MARKDOWN = `# Plan

- [x] Lay the floor <!-- id: floor -->
- [ ] Build walls <!-- id: walls --> <!-- group: house -->
  - stands upright
  - Depends on: floor
- [ ] Put on the roof <!-- id: roof -->
  - Depends on: walls
- [!] Get a permit <!-- id: permit -->
- [ ] Plant a tree <!-- id: tree -->
`;

function house(): Scratch {
  const one = scratch();
  project(one, { tasks: { 'PRD.md': MARKDOWN } });
  return one;
}

describe('tasks', () => {
  it('list shows every task with its state, ready only what could start', async () => {
    const one = house();
    const listed = await ralph(one, ['tasks', 'list', '--json']);
    expect(listed.code).toBe(0);
    const tasks = listOf(listed.stdout, 'tasks');
    expect(tasks.map(idOf)).toEqual(['floor', 'walls', 'roof', 'permit', 'tree']);
    expect(tasks[1]).toMatchObject({ title: 'Build walls', group: 'house' });
    const ready = await ralph(one, ['tasks', 'ready', '--json']);
    expect(listOf(ready.stdout, 'tasks').map(idOf)).toEqual(['walls', 'tree']);
    const plain = await ralph(one, ['tasks', 'list']);
    for (const word of ['walls', 'Put on the roof', 'permit']) expect(plain.stdout).toContain(word);
  });

  it('show gives one task whole, in both forms', async () => {
    const one = house();
    const plain = await ralph(one, ['tasks', 'show', 'walls']);
    expect(plain.code).toBe(0);
    for (const word of ['Build walls', 'house', 'floor', 'stands upright']) expect(plain.stdout).toContain(word);
    const json = await ralph(one, ['tasks', 'show', 'walls', '--json']);
    expect(JSON.stringify(JSON.parse(json.stdout))).toContain('stands upright');
  });

  it('show of an id that is none: exit 2, did you mean', async () => {
    const { code, stdout, stderr } = await ralph(house(), ['tasks', 'show', 'wals']);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('wals');
  });

  it('S0.7 reset frees a parked task; its old work stays, and what has landed is done again only if that is said', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a'],
      agent: [{ write: { path: 'old.txt', text: 'old' } }, { exit: 3 }],
      config: { limits: { consecutive_failures: 1 } },
    });
    const run = ['run', '--parallel', '--json'];
    expect((await ralph(one, run)).code).toBe(1);
    writeScenario(one, { agent: HONEST });
    const count = starts(one).length;
    const second = await ralph(one, run);
    expect(second.code).toBe(1);
    expect(starts(one)).toHaveLength(count);
    expect((await ralph(one, ['tasks', 'reset', 'a'])).code).toBe(0);
    const third = await ralph(one, run);
    expect(third.code).toBe(0);
    expect(summaryOf(third.stdout).landed).toEqual(['a']);
    const late = await ralph(one, ['tasks', 'reset', 'a']);
    expect([late.code, late.stderr]).toEqual([
      2,
      expect.stringMatching(/a has landed as [0-9a-f]{10}[\s\S]*ralph tasks reset a --again/),
    ]);
    await ralph(one, run);
    expect(landedTasks(one.git, 'main')).toEqual(['a']);
    expect((await ralph(one, ['tasks', 'reset', 'a', '--again'])).code).toBe(0);
    expect(one.git('log', '--all', '--format=%H', '--', 'old.txt')).not.toBe('');
  });

  it('reset of an id that is none: exit 2', async () => {
    expect((await ralph(house(), ['tasks', 'reset', 'nobody'])).code).toBe(2);
  });
});
