import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { gitSays, landedTasks } from '../harness/git.ts';
import { HONEST_SH, promptFor, promptProject } from '../harness/prompt-project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, trainProject, watchedGate } from '../harness/train.ts';

const ONE = { limits: { iterations: 1, attempts: 1 } };

describe('mend b: a verdict comes from a clean tree', () => {
  it.each([
    ['build output', 'mkdir build; echo made > build/out', 'test -e build/out'],
    ['a .env', 'echo KEY=1 > .env', 'test -e .env'],
    [
      'an installed dependency',
      'mkdir -p node_modules/left; echo 1 > node_modules/left/pad',
      'test -e node_modules/left/pad',
    ],
  ])('%s that only the agent has makes no gate green', async (_what, makes, needs) => {
    const one = scratch();
    const gate = watchedGate(one, needs);
    const files = { '.gitignore': 'build/\n.env\nnode_modules/\n' };
    trainProject(one, { tasks: ['t1'], gate, files, config: ONE, script: `${makes}; ${OWN_FILE}; ${CLAIM}` });
    const ran = await ralph(one, ['run', '--json']);
    expect([ran.code, landedTasks(one.git, 'main')], ran.stderr).toEqual([1, []]);
    expect(summaryOf(ran.stdout).parked).toMatchObject([{ task: 't1' }]);
    expect(gitSays(one.git, 'cat-file', '-e', 'main:t1.txt')).toBe(false);
  });

  it('several at once have each a gate worktree of their own, at the tree that would land', async () => {
    const one = scratch();
    const seen = beside(one, 'seen');
    // The first two wait for each other: with one place for both, neither would ever end.
    const meet = `echo x >> ${seen}.n; until [ $(wc -l < ${seen}.n) -ge 2 ]; do sleep 0.1; done`;
    const gate = watchedGate(
      one,
      `echo "$PWD $RALPH_GATE_SLOT .$(git status --porcelain)" >> ${seen}; ${meet}; grep -q '\\[x\\]' PRD.md`,
    );
    trainProject(one, { tasks: ['t1', 't2'], gate, script: `${OWN_FILE}; ${CLAIM}` });
    const ran = await ralph(one, ['run', '--parallel', '--max-workers', '2', '--json']);
    expect([ran.code, landedTasks(one.git, 'main').sort()], ran.stderr).toEqual([0, ['t1', 't2']]);
    const runs = readFileSync(seen, 'utf8').trimEnd().split('\n');
    expect(new Set(runs.slice(0, 2)).size, 'two places').toBe(2);
    for (const run of runs) expect(run).toMatch(/\/gate-(\d+) \1 \.$/);
  });

  it('a loop in place is tested the same way, and leaves no worktree', async () => {
    const one = scratch();
    const seen = beside(one, 'seen');
    promptProject(one, HONEST_SH, { gates: { commands: [`pwd >> ${seen}`], base: false } });
    const ran = await ralph(one, ['run', promptFor('a')]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(readFileSync(seen, 'utf8')).toMatch(/^\S+\/gate-1\n$/);
    expect(one.git('worktree', 'list').split('\n')).toHaveLength(1);
  });
});
