import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { summaryOf } from '../e2e/harness/answers.ts';
import { refsBelow } from '../e2e/harness/git.ts';
import { beside, ralph } from '../e2e/harness/ralph.ts';
import type { Scratch } from '../e2e/harness/scratch.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { shellProject } from '../e2e/harness/shell-agent.ts';

it('case 20: an agent that collects all garbage takes nothing away from what others committed, staged or left', async () => {
  const one = scratch();
  const [up, collected] = ['up', 'collected'].map((name) => beside(one, name));
  shellProject(
    one,
    `wait_for() { while [ ! -e "$1" ]; do sleep 0.1; done; }
     case "$RALPH_TASK_ID" in
       astray)
         [ "$RALPH_ITERATION" = 1 ] || exit 0
         echo on-branch > branch.txt; git add -A; git commit -qm on-branch; git checkout -q --detach HEAD~1
         echo kept > kept.txt; git add -A; git commit -qm elsewhere ;;
       worker)
         # Nothing that is being written while it collects is safe from git itself: nobody else is at work by then.
         until grep -q 'iteration-ended.*"n":2' "$(git rev-parse --git-common-dir)"/paralph/log/*; do sleep 0.1; done
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

/** Three loose objects in the one folder by which git tells whether it is time to tidy up. */
function makeDue(one: Scratch): void {
  one.git('config', 'gc.auto', '1');
  one.git('config', 'gc.autoDetach', 'false');
  const idOf = (text: string): string => createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex');
  const texts = Array.from({ length: 3000 }, (_, at) => `${at}\n`).filter((text) => idOf(text).startsWith('17'));
  for (const text of texts.slice(0, 3)) {
    one.put('object', text);
    expect(one.git('hash-object', '-w', 'object')).toMatch(/^17/);
  }
  rmSync(join(one.repo, 'object'));
}

it('case 21: maintenance that is due waits until nobody works, and is then for the user to do', async () => {
  const one = scratch();
  const tasks = ['a', 'b', 'c', 'd'];
  const commit = 'echo "$at" >> "$RALPH_TASK_ID.txt"; git add -A; git commit -q -m "$at"';
  shellProject(one, `for at in 1 2 3 4 5; do ${commit}; done; echo '<promise>COMPLETE</promise>'`, { tasks });
  makeDue(one);
  const packs = (): string => /^packs: (\d+)$/m.exec(one.git('count-objects', '-v'))?.[1] ?? '';
  const run = await ralph(one, ['run', '--parallel', '--max-workers', '4', '--json']);
  expect(summaryOf(run.stdout).landed, run.stderr).toEqual(tasks);
  expect(packs()).toBe('0');
  one.git('gc', '-q', '--auto');
  expect(packs(), 'it was due').toBe('1');
  expect(one.git('log', '--format=%s', 'main', '--', 'a.txt').split('\n')).toHaveLength(5);
});
