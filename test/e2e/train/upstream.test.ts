import { describe, expect, it } from 'vitest';

import { gitSays, landedTasks } from '../harness/git.ts';
import { ralph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { CLAIM, iterationsOf, OWN_FILE, readyTrain, userCommits, watchedGate } from '../harness/train.ts';
import { accountFor, alwaysGreen, INT } from '../harness/values.ts';
import { why } from '../harness/why.ts';

const TRUTH = 'test ! -e BROKEN || { echo "it is broken"; exit 1; }';
const TASKS = ['t1', 't2', 't3'];

describe('S0.9 commits of the user that stand in the way', () => {
  it('a commit that breaks the gates: landing stops and says so, nobody is blamed; mended, it goes on', async () => {
    const one = scratch();
    const gate = watchedGate(one, TRUTH);
    await readyTrain(one, { tasks: TASKS, gate, script: `${OWN_FILE}; ${CLAIM}` });
    const broken = userCommits(one, { BROKEN: 'x' }, 'Break it');
    const stopped = await ralph(one, ['land', '--all', '--json']);
    expect([1, 6]).toContain(stopped.code);
    expect(stopped.stderr + stopped.stdout).toMatch(/main/);
    expect(stopped.stderr + stopped.stdout).toMatch(/red|gate/);
    expect(landedTasks(one.git, INT)).toEqual([]);
    for (const task of TASKS) {
      const told = await why(one, task);
      expect([told.state, told.reason]).toEqual(['landing', 'queued']);
      expect(told.sentences.join('\n')).toMatch(/main/);
    }
    expect(one.git('rev-parse', 'main')).toBe(broken);

    one.git('rm', '-q', 'BROKEN');
    const mended = userCommits(one, { 'mended.txt': 'x' }, 'Mend it');
    const { code, stderr } = await ralph(one, ['land', '--all']);
    expect(code, stderr).toBe(0);
    expect(accountFor(one, TASKS, 'main').landed).toEqual(TASKS);
    expect(gitSays(one.git, 'merge-base', '--is-ancestor', mended, 'main')).toBe(true);
    for (const task of TASKS) expect(iterationsOf(one, 'shell', task)).toBe(1);
    alwaysGreen(one, gate.truth, { except: [broken] });
  });

  it('a commit that does not merge with what landed: named with its files, nobody is blamed; merged, it goes on', async () => {
    const one = scratch();
    const gate = watchedGate(one, TRUTH);
    const script = `${OWN_FILE}; echo "# $RALPH_TASK_ID" > README.$RALPH_TASK_ID; test $RALPH_TASK_ID != t1 || echo "# t1" > README.md; ${CLAIM}`;
    await readyTrain(one, { tasks: TASKS, gate, script, config: { landing: { publish: 'manual' } } });
    expect((await ralph(one, ['land', 't1'])).code).toBe(0);
    expect(landedTasks(one.git, INT)).toEqual(['t1']);
    const mine = userCommits(one, { 'README.md': '# mine\n' });
    const stopped = await ralph(one, ['land', '--all', '--publish', 'end']);
    expect([1, 6]).toContain(stopped.code);
    expect(stopped.stderr).toContain('README.md');
    expect(one.git('rev-parse', 'main')).toBe(mine);
    expect(landedTasks(one.git, INT)).toEqual(['t1']);
    for (const task of ['t2', 't3']) {
      const told = await why(one, task);
      expect(told.state).not.toBe('parked');
      expect(told.sentences.join('\n')).toContain('README.md');
    }
    expect(gitSays(one.git, 'merge', '-q', '-X', 'ours', '--no-edit', INT)).toBe(true);
    const merged = one.git('rev-parse', 'main');
    const { code, stderr } = await ralph(one, ['land', '--all', '--publish', 'end']);
    expect(code, stderr).toBe(0);
    expect(one.git('show', 'main:README.md')).toBe('# mine');
    for (const task of TASKS) expect(one.git('show', `main:${task}.txt`)).toBe(`made by ${task}`);
    expect(landedTasks(one.git, 'main').sort()).toEqual(['t2', 't3']);
    expect(gitSays(one.git, 'merge-base', '--is-ancestor', merged, 'main')).toBe(true);
    alwaysGreen(one, gate.truth);
  });
});
