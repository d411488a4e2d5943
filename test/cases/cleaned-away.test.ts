import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { wholeLines } from '../e2e/harness/events.ts';
import { gitSays, landedTasks } from '../e2e/harness/git.ts';
import { beside, startRalph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { shellProject } from '../e2e/harness/shell-agent.ts';
import { until } from '../e2e/harness/until.ts';

it('case 73: git clean -ffdx in the checkout takes the worktrees, and their loops go on from what they committed', async () => {
  const one = scratch();
  const seen = beside(one, 'seen');
  shellProject(
    one,
    `test -e first.txt || { echo first > first.txt; git add first.txt; git commit -qm first; }
     echo "$PWD" >> ${seen}
     while [ ! -e ${beside(one, 'go')} ]; do sleep 0.1; done
     echo second > second.txt
     echo '<promise>COMPLETE</promise>'`,
    { tasks: ['a', 'b'] },
  );
  const places = (): string[] => (existsSync(seen) ? wholeLines(readFileSync(seen, 'utf8')) : []);
  const run = startRalph(one, ['run', '--parallel']);
  await until('both agents', () => places().length === 2);
  // It gives up a folder into which the host has just written something.
  await until('all is cleaned away', () => gitSays(one.git, 'clean', '-ffdxq'));
  await until('their next agents', () => places().length >= 4);
  writeFileSync(beside(one, 'go'), '');
  const { code, stderr } = await run.ended;
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/^a: its worktree is gone, with its uncommitted changes; .* last commit on ralph\/a-\w+$/m);
  // What the user cleaned away is made again as it was: git does not show it.
  expect(one.git('status', '--porcelain')).toBe('');
  expect(landedTasks(one.git, 'main').toSorted()).toEqual(['a', 'b']);
  expect(one.git('log', '--format=%s', '--no-merges', 'main', '--', 'first.txt').split('\n')).toContain('first');
});
