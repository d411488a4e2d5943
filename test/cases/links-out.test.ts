import { expect, it } from 'vitest';

import { summaryOf } from '../e2e/harness/answers.ts';
import { gitSays } from '../e2e/harness/git.ts';
import { ralph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { shellProject } from '../e2e/harness/shell-agent.ts';

it('case 34: a link that leads out of the repository lands only when a person says so, one that stays inside does', async () => {
  const one = scratch();
  one.put('docs/x.md', 'x\n');
  shellProject(
    one,
    `case "$RALPH_TASK_ID" in
       absolute) ln -s /etc/hostname link ;;
       escaping) mkdir -p sub; ln -s ../../outside sub/up ;;
       gits) ln -s .git/hooks docs/hooks-of-mine; ln -s docs/x.md fine ;;
       inside) mkdir -p sub; ln -s ../docs/x.md sub/inside ;;
     esac
     echo '<promise>COMPLETE</promise>'`,
    { tasks: ['absolute', 'escaping', 'gits', 'inside'] },
  );
  const { code, stdout } = await ralph(one, ['run', '--parallel', '--max-workers', '2', '--json']);
  expect(code).toBe(1);
  const { landed, parked } = summaryOf(stdout);
  expect(landed).toEqual(['inside']);
  expect(parked.map(({ task, reason }) => `${task} ${String(reason)}`).sort()).toEqual([
    'absolute protected',
    'escaping protected',
    'gits protected',
  ]);
  const told = await ralph(one, ['why', 'escaping']);
  expect(told.stdout).toContain('sub/up -> ../../outside');
  expect(gitSays(one.git, 'cat-file', '-e', 'main:link')).toBe(false);
  const byHand = await ralph(one, ['land', 'absolute', '--json']);
  expect(summaryOf(byHand.stdout).landed).toContain('absolute');
  expect(one.git('show', 'main:link')).toBe('/etc/hostname');
});
