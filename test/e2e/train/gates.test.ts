import { writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { summaryOf } from '../harness/answers.ts';
import { gitSays, landedTasks } from '../harness/git.ts';
import { beside, ralph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, readyTrain, trainProject, userCommits, watchedGate } from '../harness/train.ts';
import type { WatchedGate } from '../harness/train.ts';
import { accountFor, alwaysGreen, INT } from '../harness/values.ts';

const RUN = ['run', '--parallel', '--max-workers', '2', '--json'];

/** A gate that spoils its tree; from when the test says so, it moves about in it instead. */
function spoiling(one: Scratch): WatchedGate {
  const junk =
    'echo junk > junk.txt; echo x >> README.md; rm -f keep.txt; git add -A; git -c user.name=g -c user.email=g@x commit -qm junk || true';
  const moves = 'git checkout -q --detach HEAD~1; git reset -q --hard; git clean -fdq';
  return watchedGate(one, `if test -e ${beside(one, 'moves')}; then ${moves}; else ${junk}; fi`);
}

/** Three that are ready by such a gate, and a commit of the user's after that. */
const spoilt = savedScene(async (one) => {
  await readyTrain(one, {
    tasks: ['t1', 't2', 't3'],
    gate: spoiling(one),
    script: `${OWN_FILE}; ${CLAIM}`,
    files: { 'keep.txt': 'k' },
  });
  userCommits(one, { 'mine.txt': 'mine' });
});

describe('S0.3 what the gates of a landing are', () => {
  it('a lone task lands with its own gate run and no other, also by another method', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'test ! -e BROKEN');
    const config = { landing: { method: 'rebase' } };
    trainProject(one, { tasks: ['t1'], gate, script: `${OWN_FILE}; ${CLAIM}`, config });
    expect((await ralph(one, RUN)).code).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['t1']);
    expect(gate.runs()).toBe(1);
    alwaysGreen(one, gate.truth);
  });

  it('tasks one after the other land with one run each; the gate sees the tracker as it lands', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'test "$(grep -c "^- .x" PRD.md)" -eq "$(ls t*.txt | wc -l)"');
    const row = (id: string, on: string): string => `- [ ] Make ${id} <!-- id: ${id} -->\n${on}`;
    const tasks = [row('t1', ''), row('t2', '  - Depends on: t1\n'), row('t3', '  - Depends on: t2\n')].join('');
    trainProject(one, { tasks: { 'PRD.md': `## Tasks\n\n${tasks}` }, gate, script: `${OWN_FILE}; ${CLAIM}` });
    const { code, stderr } = await ralph(one, RUN);
    expect(code, stderr).toBe(0);
    expect(landedTasks(one.git, 'main')).toEqual(['t1', 't2', 't3']);
    expect(gate.runs()).toBe(3);
  });

  it('a branch that changes the gates is judged by those of main', async () => {
    const one = scratch();
    const gate = watchedGate(one, 'test ! -e BROKEN');
    const weaken = 'sed -i \'s/^commands = .*/commands = ["true"]/\' ralph.toml; grep -q \'"true"\' ralph.toml';
    trainProject(one, {
      tasks: ['cheat', 'third', 'weak'],
      gate,
      script: `case $RALPH_TASK_ID in cheat) ${weaken}; touch BROKEN;; weak) ${weaken};; esac; ${OWN_FILE}; echo $RALPH_ITERATION >> $RALPH_TASK_ID.txt; ${CLAIM}`,
      config: { landing: { protect: [] }, limits: { iterations: 2 } },
    });
    const { code, stdout } = await ralph(one, RUN);
    expect(code).toBe(1);
    expect(summaryOf(stdout).parked.map(({ task }) => task)).toEqual(['cheat']);
    expect(gitSays(one.git, 'cat-file', '-e', `${INT}:BROKEN`)).toBe(false);
    alwaysGreen(one, gate.truth);
    expect(accountFor(one, ['cheat', 'third', 'weak']).landed).toEqual(['third', 'weak']);
  });

  it('case 33: what a gate changes, adds or commits never lands; main has moved, so what lands is tested again', async () => {
    const one = await spoilt();
    const gate = spoiling(one);
    const before = gate.runs();
    expect((await ralph(one, ['land', '--all'])).code).toBe(0);
    expect(gate.runs() - before).toBeGreaterThanOrEqual(1);
    expect(one.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(
      ['.gitignore', 'PRD.md', 'README.md', 'keep.txt', 'mine.txt', 'ralph.toml', 't1.txt', 't2.txt', 't3.txt'].sort(),
    );
    expect(one.git('show', 'main:README.md')).toBe('# scratch');
    expect(one.git('log', '--format=%s', 'main')).not.toContain('junk');
  });

  it('a gate that moves branches about in its worktree moves nothing of ours', async () => {
    const one = await spoilt();
    const before = spoiling(one).runs();
    writeFileSync(beside(one, 'moves'), '');
    expect((await ralph(one, ['land', '--all'])).code).toBe(0);
    expect(spoiling(one).runs() - before).toBeGreaterThanOrEqual(1);
    expect(accountFor(one, ['t1', 't2', 't3'], 'main').landed).toEqual(['t1', 't2', 't3']);
    expect(one.git('status', '--porcelain')).toBe('');
  });
});
