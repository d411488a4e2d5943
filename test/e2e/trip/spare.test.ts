import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { listOf } from '../harness/answers.ts';
import { crashAt } from '../harness/crash.ts';
import { landedTasks, refsBelow } from '../harness/git.ts';
import { HONEST, project, writeScenario } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import type { Scratch } from '../harness/scratch.ts';
import { shellProject } from '../harness/shell-agent.ts';
import { until } from '../harness/until.ts';

const SPARE_MAX = 2;
const TASKS = ['t1', 't2', 't3', 't4', 't5'];
const RUN = ['run', '--parallel', '--max-workers', String(SPARE_MAX)];

/** Every worktree beside the main checkout, as git has them and as they are listed. */
async function worktrees(one: Scratch): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await ralph(one, ['worktree', 'list', '--json']);
  const listed = listOf(stdout, 'worktrees').filter(({ kind }) => kind !== 'main');
  const known = one.git('worktree', 'list', '--porcelain').match(/^worktree /gm) ?? [];
  expect(listed.length).toBe(known.length - 1);
  return listed;
}

const spareOf = (listed: readonly Record<string, unknown>[]): readonly unknown[] =>
  listed.filter(({ spare }) => spare === true);

const asideIn = (one: Scratch): readonly string[] =>
  readdirSync(join(one.repo, '.ralph/worktrees')).filter((name) => name.startsWith('.ralph-removing-'));

const notesIn = (one: Scratch): readonly string[] => {
  const folder = join(one.repo, '.git/paralph/removals');
  return existsSync(folder) ? readdirSync(folder) : [];
};

const nothingAside = (one: Scratch): Promise<unknown> =>
  until('what was put aside is deleted', () => asideIn(one).length === 0 && notesIn(one).length === 0);

describe('worktrees that nobody uses', () => {
  it('trip 10: beside those that are ready at most max_workers stay, listed as spare, and what landed leaves no more', async () => {
    const one = scratch();
    project(one, { tasks: TASKS, config: { parallel: { merge_policy: 'manual', max_workers: SPARE_MAX } } });
    expect((await ralph(one, RUN)).code).toBe(0);
    const ready = await worktrees(one);
    expect(ready.filter(({ branch }) => String(branch).startsWith('ralph/')).length).toBe(TASKS.length);
    expect(spareOf(ready).length).toBe(ready.length - TASKS.length);
    expect(spareOf(ready).length).toBeLessThanOrEqual(SPARE_MAX);
    const land = await ralph(one, ['land', '--all']);
    expect(land.code, land.stderr).toBe(0);
    const left = await worktrees(one);
    expect(left.length).toBe(SPARE_MAX);
    expect(left.map(({ kind, spare }) => [kind, spare])).toEqual(left.map(() => ['loop', true]));
    expect((await ralph(one, ['worktree', 'list'])).stdout.match(/ spare/g)).toHaveLength(SPARE_MAX);
    await nothingAside(one);
    expect(landedTasks(one.git, 'main').toSorted()).toEqual(TASKS);
    expect((await ralph(one, ['doctor'])).stdout).toContain('removals: nothing to repair');
  });

  it('trip 10: what is parked keeps its worktree where something in it is not committed, and its branch in any case', async () => {
    const one = scratch();
    shellProject(one, 'echo half > "$RALPH_TASK_ID.txt"; git add -A; git commit -q -m half; exit 1', {
      tasks: TASKS,
      config: { parallel: { max_workers: TASKS.length }, limits: { consecutive_failures: 1 } },
    });
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(1);
    const parked = await worktrees(one);
    const [mine, ...others] = parked.filter(({ branch }) => String(branch).startsWith('ralph/'));
    expect(others.length).toBeGreaterThanOrEqual(SPARE_MAX);
    writeFileSync(join(String(mine?.['path']), 'note.txt'), 'mine\n');
    const tips = refsBelow(one.git, 'refs/heads/ralph/').map((ref) => one.git('rev-parse', ref));
    expect(tips.length).toBe(TASKS.length);
    expect((await ralph(one, ['run', '--parallel', '--max-workers', '1'])).code).toBe(1);
    const left = await worktrees(one);
    expect(left.length).toBe(2);
    expect(left.find(({ path }) => path === mine?.['path'])).toMatchObject({ spare: false, clean: false });
    expect(spareOf(left).length).toBe(1);
    await nothingAside(one);
    expect(refsBelow(one.git, 'refs/heads/ralph/').map((ref) => one.git('rev-parse', ref))).toEqual(tips);
    const gone = others.find(({ path }) => !left.some((other) => other['path'] === path));
    const loop = String(gone?.['branch']).slice('ralph/'.length);
    shellProject(one, 'test -e "$RALPH_TASK_ID.txt"; echo "<promise>COMPLETE</promise>"', { tasks: {} });
    const resumed = await ralph(one, ['loops', 'resume', loop]);
    expect(resumed.code, resumed.stderr).toBe(0);
  });

  it.each(['clean.begun', 'clean.aside', 'spare.told', 'spare.entry', 'spare.handed'])(
    'trip 10: killed at %s nothing is lost, and the next run ends it',
    async (point) => {
      const one = scratch();
      project(one, {
        tasks: ['p1', 'p2', 't1', 't2', 't3'],
        byTask: Object.fromEntries(
          ['p1', 'p2'].map((id) => [
            id,
            [
              { write: { path: '${task}.txt', text: 'half\n' } },
              { write: { path: '.env', text: 'KEY=1\n' } },
              { exit: 1 },
            ],
          ]),
        ),
        config: { parallel: { max_workers: 1 }, limits: { consecutive_failures: 1 } },
      });
      await crashAt(one, RUN, point);
      const tips = refsBelow(one.git, 'refs/heads/ralph/').map((ref) => one.git('rev-parse', ref));
      expect(tips.length).toBe(2);
      writeScenario(one, { agent: HONEST });
      expect((await ralph(one, ['run', '--max-workers', '1'])).code).toBe(1);
      const left = await worktrees(one);
      expect(left.length).toBe(1);
      await nothingAside(one);
      expect(refsBelow(one.git, 'refs/heads/ralph/').map((ref) => one.git('rev-parse', ref))).toEqual(tips);
      const kept = refsBelow(one.git, 'refs/paralph/keep/').filter((ref) =>
        one.git('ls-tree', '-r', '--name-only', ref).split('\n').includes('.env'),
      );
      const isThere = existsSync(join(String(left[0]?.['path']), '.env'));
      expect(kept.length, 'what git ignores of both is there or kept').toBeGreaterThanOrEqual(isThere ? 1 : 2);
      for (const task of ['p1', 'p2']) {
        const loop = refsBelow(one.git, `refs/heads/ralph/`).find((ref) => ref.includes(`/${task}-`)) ?? '';
        const { code, stderr } = await ralph(one, ['loops', 'resume', loop.slice('refs/heads/ralph/'.length)]);
        expect(code, stderr).toBe(0);
      }
      expect(landedTasks(one.git, 'main').length).toBe(5);
    },
  );
});
