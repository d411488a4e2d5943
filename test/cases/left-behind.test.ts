import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { summaryOf } from '../e2e/harness/answers.ts';
import { gitIn, gitSays, landedTasks, refsBelow } from '../e2e/harness/git.ts';
import { beside, ralph } from '../e2e/harness/ralph.ts';
import { scratch } from '../e2e/harness/scratch.ts';
import { shellProject } from '../e2e/harness/shell-agent.ts';

const RUN = ['run', '--parallel', '--max-workers', '4', '--json'];

/** Each task leaves its worktree in another way nobody wants it; what it made is in a file of its name. */
const AGENT = `
made() { echo "made by $RALPH_TASK_ID" > "$RALPH_TASK_ID.txt"; }
commit() { git add -A; git commit -q -m "$1"; }
case "$RALPH_TASK_ID" in
  deleted) made; commit work; git update-ref -d "$(git symbolic-ref HEAD)" ;;
  detached) git checkout -q --detach; made; commit work; echo more > detached-more.txt ;;
  astray) [ "$RALPH_ITERATION" = 1 ] || exit 0
    echo on-branch > astray-branch.txt; commit on-branch
    git checkout -q --detach HEAD~1; made; commit elsewhere ;;
  untidy) made; echo staged > untidy-staged.txt; git add untidy-staged.txt; echo secret > .env ;;
  locked)
    if [ "$RALPH_ITERATION" = 1 ]; then
      made; lock=$(git rev-parse --git-path index.lock); : > "$lock"
      setsid sh -c 'trap "" TERM; while [ -e "$1" ]; do sleep 0.02; done; : > LOST-LOCK' sh "$lock" & kill -9 $$
    fi
    echo again >> locked.txt; commit again ;;
  merging)
    if [ -e TAKE-TWO ]; then echo "$(git status --porcelain)" > TAKEN; made
    elif [ "$RALPH_ITERATION" = 1 ]; then
      echo ours > README.md; commit ours; ours=$(git symbolic-ref --short HEAD)
      git checkout -q --detach HEAD~1; echo theirs > README.md; commit theirs; theirs=$(git rev-parse HEAD)
      git checkout -q "$ours"; git merge -q "$theirs" || true; made
    fi ;;
esac
echo '<promise>COMPLETE</promise>'`;

it('case 16: (and 14, 15, 17, 18) whatever an agent leaves behind, its work is on its branch or kept, and the next attempt starts clean', async () => {
  const one = scratch();
  const again = beside(one, 'again');
  const lost = beside(one, 'lost-lock');
  const agent = AGENT.replace('TAKE-TWO', again).replace('TAKEN', `${again}.status`).replace('LOST-LOCK', lost);
  shellProject(one, agent, {
    tasks: ['deleted', 'detached', 'astray', 'untidy', 'locked', 'merging'],
    config: { limits: { iterations: 2, grace: '300ms' } },
  });
  const { stdout } = await ralph(one, RUN);
  expect(existsSync(lost), 'a lock went while somebody who had it lived').toBe(false);
  const { landed, parked } = summaryOf(stdout);
  expect(landed).toEqual(['deleted', 'detached', 'locked', 'untidy']);
  expect(landedTasks(one.git, 'main').sort()).toEqual(landed);
  for (const task of landed) expect(one.git('show', `main:${task}.txt`)).toContain(`made by ${task}`);
  for (const path of ['detached-more.txt', 'untidy-staged.txt']) one.git('cat-file', '-e', `main:${path}`);
  expect(one.git('log', '--branches', '--format=%H', '--', '.env'), 'ignored files are nobody’s').toBe('');

  expect(parked.map(({ task }) => task).sort()).toEqual(['astray', 'merging']);
  for (const { task, next } of parked) {
    expect(next).toContain(`ralph loops resume ${task}-`);
    const kept = refsBelow(one.git, 'refs/paralph/keep/').filter((ref) => ref.includes(`/${task}-`));
    expect(kept.some((ref) => gitSays(one.git, 'cat-file', '-e', `${ref}:${task}.txt`))).toBe(true);
  }
  expect(JSON.stringify(parked)).toMatch(/half-done: merge/);
  const [branch = ''] = refsBelow(one.git, 'refs/heads/ralph/').filter((ref) => ref.includes('/astray-'));
  expect(one.git('show', `${branch}:astray-branch.txt`)).toBe('on-branch');
  const merging = one
    .git('worktree', 'list', '--porcelain')
    .split('\n\n')
    .find((text) => text.includes('/merging-'));
  const path = /^worktree (.*)$/m.exec(merging ?? '')?.[1] ?? '';
  expect(gitIn(path, one.env)('rev-parse', '--verify', 'MERGE_HEAD')).toMatch(/^[0-9a-f]+$/);

  writeFileSync(again, '');
  expect((await ralph(one, ['tasks', 'reset', 'merging'])).code).toBe(0);
  expect(summaryOf((await ralph(one, RUN)).stdout).landed).toContain('merging');
  expect(readFileSync(`${again}.status`, 'utf8')).toBe('\n');
  expect(one.git('show', 'main:README.md')).toBe('# scratch');
});
