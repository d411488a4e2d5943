import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { wholeLines } from '../e2e/harness/events.ts';
import { gitIn, landedTasks } from '../e2e/harness/git.ts';
import { beside, startRalph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { shellProject } from '../e2e/harness/shell-agent.ts';
import { until } from '../e2e/harness/until.ts';

it('case 9: a worktree that is moved away is told, its entry stays, and its loop goes on from what it committed', async () => {
  const one = scratch();
  const seen = beside(one, 'seen');
  shellProject(
    one,
    `test -e first.txt || { echo first > first.txt; git add first.txt; git commit -qm first; }
     echo uncommitted > second.txt
     echo "$PWD" >> ${seen}
     while [ ! -e ${beside(one, 'go')} ]; do sleep 0.1; done
     echo '<promise>COMPLETE</promise>'`,
    { tasks: ['a'] },
  );
  const places = (): string[] => (existsSync(seen) ? wholeLines(readFileSync(seen, 'utf8')) : []);
  const run = startRalph(one, ['run', '--events']);
  await until('the agent', () => places().length === 1);
  const [path = ''] = places();
  const away = beside(one, 'away');
  renameSync(path, away);
  one.git('worktree', 'prune');
  await run.waitFor(/"type":"worktree-lost"/);
  await until('its next agent', () => places().length === 2);
  expect(one.git('worktree', 'list')).toContain(`${path} `);
  renameSync(away, path);
  const back = gitIn(path, one.env);
  expect([back('status', '--porcelain'), back('log', '-1', '--format=%s')]).toEqual(['?? second.txt', 'first']);
  writeFileSync(beside(one, 'go'), '');
  const { code, stderr } = await run.ended;
  expect(code, stderr).toBe(0);
  expect(readFileSync(join(path, 'second.txt'), 'utf8')).toBe('uncommitted\n');
  expect(landedTasks(one.git, 'main')).toEqual(['a']);
  expect(one.git('log', '--format=%s', 'main', '--', 'first.txt')).toBe('first');
});
