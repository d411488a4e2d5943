import { describe, expect, it } from 'vitest';

import { landedTasks } from '../harness/git.ts';
import { project } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';

const RUN = ['run', '--parallel', '--max-workers', '3'];

describe('S2.6 what the gates of a landing see', () => {
  it('the merged tree, never the user’s mess; what they write into it never lands', async () => {
    const one = scratch();
    const spoil = 'echo junk > junk.txt; echo x >> README.md';
    project(one, {
      tasks: ['a', 'b'],
      config: { gates: { commands: ['test ! -e mess.txt', 'git diff --quiet HEAD', spoil] } },
    });
    one.put('mess.txt', 'mess');
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(landedTasks(one.git, 'main').sort()).toEqual(['a', 'b']);
    expect(one.git('ls-tree', '--name-only', 'main')).not.toContain('junk.txt');
    expect(one.git('show', 'main:README.md')).toBe('# scratch');
  });

  it('no gate at all: work that claims and changes something lands', async () => {
    const one = scratch();
    project(one, { tasks: ['a'], config: { gates: { commands: [] } } });
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['a']);
  });
});
