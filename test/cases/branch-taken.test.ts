import { expect, it } from 'vitest';

import { crashAt } from '../e2e/harness/crash.ts';
import { landedTasks, refsBelow } from '../e2e/harness/git.ts';
import { project } from '../e2e/harness/project.ts';
import { ralph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';

it('case 6: a branch of its name that somebody made elsewhere stays theirs, and the loop goes on with another suffix', async () => {
  const one = scratch();
  project(one, { tasks: ['a'] });
  const { stderr } = await crashAt(one, ['run'], 'wt.intent');
  const branch = /slot 1 on (ralph\/a-\S+)/.exec(stderr)?.[1] ?? '';
  const mine = one.git('commit-tree', '-m', 'mine', '-p', 'main', 'main^{tree}');
  one.git('branch', branch, mine);
  const ran = await ralph(one, ['run']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stderr).toContain(`works on ${branch}-2: ${branch} is a branch that paralph did not make`);
  expect(landedTasks(one.git, 'main')).toEqual(['a']);
  expect([refsBelow(one.git, 'refs/heads/ralph/'), one.git('rev-parse', branch)]).toEqual([
    [`refs/heads/${branch}`],
    mine,
  ]);
  expect(one.git('log', '--format=%s', 'main'), 'nothing of it landed').not.toContain('mine');
});
