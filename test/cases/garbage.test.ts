import { expect, it } from 'vitest';

import { summaryOf } from '../e2e/harness/answers.ts';
import { refsBelow } from '../e2e/harness/git.ts';
import { beside, ralph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { shellProject } from '../e2e/harness/shell-agent.ts';

it('case 20: an agent that collects all garbage takes nothing away from what others committed, staged or left', async () => {
  const one = scratch();
  const [astray, up, collected] = ['astray', 'up', 'collected'].map((name) => beside(one, name));
  shellProject(
    one,
    `wait_for() { while [ ! -e "$1" ]; do sleep 0.05; done; }
     case "$RALPH_TASK_ID" in
       astray)
         [ "$RALPH_ITERATION" = 1 ] || { : > ${astray}; exit 0; }
         echo on-branch > branch.txt; git add -A; git commit -qm on-branch; git checkout -q --detach HEAD~1
         echo kept > kept.txt; git add -A; git commit -qm elsewhere ;;
       worker)
         wait_for ${astray}
         echo committed > committed.txt; git add -A; git commit -qm work
         echo staged > staged.txt; git add -A; echo dirty > dirty.txt
         : > ${up}; wait_for ${collected} ;;
       collector)
         wait_for ${up}
         git reflog expire --expire=now --expire-unreachable=now --all; git gc -q --prune=now
         : > ${collected}; echo done > collected.txt ;;
     esac
     echo '<promise>COMPLETE</promise>'`,
    { tasks: ['astray', 'worker', 'collector'], config: { limits: { iterations: 2 } } },
  );
  const run = await ralph(one, ['run', '--parallel', '--max-workers', '4', '--json']);
  expect(summaryOf(run.stdout).landed, run.stderr).toEqual(['collector', 'worker']);
  expect(one.git('fsck', '--no-dangling', '--connectivity-only')).toBe('');
  for (const name of ['committed', 'staged', 'dirty']) expect(one.git('show', `main:${name}.txt`)).toBe(name);
  const [kept = ''] = refsBelow(one.git, 'refs/paralph/keep/').filter((ref) => ref.includes('/astray-'));
  expect(one.git('show', `${kept}:kept.txt`)).toBe('kept');
});
