import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { landedTasks, refsBelow } from '../e2e/harness/git.ts';
import { project, starts } from '../e2e/harness/project.ts';
import { ralph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';

it('case 3: killed at every step of making a worktree, the next try takes back or takes over what is there', async () => {
  const one = scratch();
  project(one, { tasks: ['a'] });
  for (const point of ['wt.intent', 'wt.after_admin', 'wt.checked_out', 'wt.done']) {
    expect([point, (await ralph(one, ['run'], { failpoints: `${point}=kill` })).signal]).toEqual([point, 'SIGKILL']);
    expect(starts(one), `${point}: no agent before its worktree is whole`).toEqual([]);
  }
  expect((await ralph(one, ['run'])).code).toBe(0);
  expect(landedTasks(one.git, 'main')).toEqual(['a']);
  expect(starts(one)).toHaveLength(1);
  const worktrees = (): string[] => one.git('worktree', 'list', '--porcelain').match(/^worktree .*/gm) ?? [];
  const folders = readdirSync(join(one.repo, '.ralph/worktrees'));
  expect([worktrees().length, folders.filter((name) => !name.startsWith('.')).sort()]).toEqual([3, ['gate-1', 'wt']]);
  expect(refsBelow(one.git, 'refs/heads/ralph/')).toEqual([]);
  expect(readdirSync(join(one.repo, '.git/paralph/half-made'))).toEqual([]);
});
