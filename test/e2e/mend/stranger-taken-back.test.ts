import { describe, expect, it } from 'vitest';

import { listOf, planOf, summaryOf } from '../harness/answers.ts';
import { project, starts } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { why } from '../harness/why.ts';

const RUN = ['run', '--parallel', '--max-workers', '1', '--json'];
const runs = (one: Scratch) => ralph(one, RUN, { isCheckoutGuarded: false });
const begun = (one: Scratch, id: string): number => starts(one).filter(({ task }) => task === id).length;

/** Three tasks that have landed, one after the other, and are on main. */
const landed = savedScene(async (one) => {
  project(one, { tasks: ['t1', 't2', 't3'] });
  expect((await ralph(one, RUN)).code).toBe(0);
});

async function statuses(one: Scratch): Promise<readonly (readonly unknown[])[]> {
  const { stdout } = await ralph(one, ['tasks', 'list', '--json']);
  return listOf(stdout, 'tasks').map(({ id, state }) => [id, state]);
}

/** The landing of a task on main. */
const landingOf = (one: Scratch, id: string): string =>
  one.git('log', '-1', '--format=%H', '--first-parent', `--grep=Ralph-Task: ${id}`, 'main');

const OPEN_3 = [
  ['t1', 'landed'],
  ['t2', 'landed'],
  ['t3', 'open'],
];

describe('mend stranger: what the person takes back on main', () => {
  it('mend stranger: a landing that is reverted: its task is open again, is said to be, and is done once more', async () => {
    const one = await landed();
    const first = landingOf(one, 't3');
    one.git('revert', '-m', '1', '--no-edit', first);
    expect(await statuses(one)).toEqual(OPEN_3);
    expect(planOf((await ralph(one, ['run', '--dry-run', '--json'])).stdout).start).toEqual(['t3']);
    expect((await why(one, 't3')).state).toBe('open');
    const { code, stdout, stderr } = await runs(one);
    expect([code, summaryOf(stdout).landed, begun(one, 't3')], stderr).toEqual([0, ['t3'], 2]);
    expect(stderr).toContain(`t3 is open again: main no longer has what landed as ${first.slice(0, 10)}`);
    expect(one.git('show', 'main:t3.txt')).toBe('made by t3');
    expect(one.git('log', '--format=%s', 'main')).toContain('Revert "');
    expect((await runs(one)).code).toBe(0);
    expect(begun(one, 't3')).toBe(2);
  });

  it('mend stranger: main is reset: what landed is kept, its tasks are open again, and nothing says that main holds it', async () => {
    const one = await landed();
    const tip = one.git('rev-parse', 'main');
    one.git('reset', '-q', '--hard', `${landingOf(one, 't3')}~1`);
    expect(await statuses(one)).toEqual(OPEN_3);
    expect((await ralph(one, ['status'])).stdout).toContain('2 landed, 1 open');
    const none = await runs(one);
    expect([none.code, summaryOf(none.stdout).landed, begun(one, 't3')], none.stderr).toEqual([0, ['t3'], 2]);
    expect(none.stderr).toContain('t3 is open again');
    expect(one.git('rev-parse', `refs/paralph/keep/taken-back/${tip.slice(0, 12)}`)).toBe(tip);
    expect(one.git('merge-base', tip, 'main')).not.toBe(tip);
    expect(one.git('show', 'main:t3.txt')).toBe('made by t3');
  });

  it('mend stranger: main is reset together with a commit of the person on top: the same', async () => {
    const one = await landed();
    const tip = one.git('rev-parse', 'main');
    one.put('own.txt', 'mine\n');
    one.git('add', 'own.txt');
    one.git('commit', '-q', '-m', 'My own');
    one.git('reset', '-q', '--hard', `${landingOf(one, 't3')}~1`);
    expect(await statuses(one)).toEqual(OPEN_3);
    const { code, stdout, stderr } = await runs(one);
    expect([code, summaryOf(stdout).landed, begun(one, 't3')], stderr).toEqual([0, ['t3'], 2]);
    expect(one.git('rev-parse', `refs/paralph/keep/taken-back/${tip.slice(0, 12)}`)).toBe(tip);
    expect(one.git('show', 'main:t3.txt')).toBe('made by t3');
  });

  it('mend stranger: main is reset and put back where it was: nothing is done again', async () => {
    const one = await landed();
    const tip = one.git('rev-parse', 'main');
    one.git('reset', '-q', '--hard', 'HEAD~1');
    one.git('reset', '-q', '--hard', tip);
    const { code, stderr } = await runs(one);
    expect([code, starts(one).length, one.git('rev-parse', 'main')], stderr).toEqual([0, 3, tip]);
  });

  it('mend stranger: a box unticked and left there is no order to do it again, for an editor may have had an old file open', async () => {
    const one = await landed();
    one.put('PRD.md', one.git('show', 'main:PRD.md').replace('[x] Make t3', '[ ] Make t3'));
    expect((await runs(one)).code).toBe(0);
    expect(begun(one, 't3')).toBe(1);
    one.git('commit', '-q', '-a', '-m', 'Once more');
    await runs(one);
    expect(begun(one, 't3')).toBeGreaterThan(1);
  });
});
