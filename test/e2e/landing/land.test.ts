import { describe, expect, it } from 'vitest';

import { listOf, summaryOf } from '../harness/answers.ts';
import { crashAt } from '../harness/crash.ts';
import { differences, everything } from '../harness/fingerprint.ts';
import { gitSays, landedTasks, refsBelow } from '../harness/git.ts';
import { project, starts } from '../harness/project.ts';
import { ralph } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const ready = savedScene(async (one) => {
  project(one, { tasks: ['a', 'b', 'c'], config: { parallel: { merge_policy: 'manual' } } });
  const { code, stdout } = await ralph(one, ['run', '--parallel', '--json']);
  expect(code).toBe(0);
  expect(summaryOf(stdout)).toMatchObject({ landed: [], ready: ['a', 'b', 'c'], parked: [] });
});

const isLanded = (one: Scratch, task: string): boolean => gitSays(one.git, 'cat-file', '-e', `main:${task}.txt`);

describe('S2.6 merge_policy manual and ralph land', () => {
  it('S2.6 manual is the default: branches ready, main where it was, the next command shown', async () => {
    const one = scratch();
    project(one, { tasks: ['a', 'b'] });
    one.put('ralph.toml', one.git('show', 'main:ralph.toml').replace('merge_policy = "auto_merge"\n', ''));
    const main = one.git('rev-parse', 'main');
    const { code, stderr } = await ralph(one, ['run', '--parallel']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/2.*ready|ready.*2/i);
    expect(stderr).toContain('ralph land');
    expect(one.git('rev-parse', 'main')).toBe(main);
    expect(refsBelow(one.git, 'refs/heads/ralph/')).toHaveLength(2);
  });

  it('land of an id that is none, land --dry-run and another run land nothing', async () => {
    const one = await ready();
    const main = one.git('rev-parse', 'main');
    const unknown = await ralph(one, ['land', 'a', 'nobody']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('nobody')]);
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
    expect(starts(one)).toHaveLength(3);
    expect(one.git('rev-parse', 'main')).toBe(main);
    const before = everything(one.repo);
    const { code, stdout } = await ralph(one, ['land', '--all', '--dry-run']);
    expect(code).toBe(0);
    for (const task of ['a', 'b', 'c']) expect(stdout).toMatch(new RegExp(`\\b${task}\\b`));
    expect(differences(before, everything(one.repo))).toEqual([]);
  });

  it('land --all lands and publishes everything, with ticks; the user’s commits meanwhile are merged in', async () => {
    const one = await ready();
    one.put('mine.txt', 'mine\n');
    one.git('add', 'mine.txt');
    one.git('commit', '-q', '-m', 'My own');
    const mine = one.git('rev-parse', 'HEAD');
    const { code } = await ralph(one, ['land', '--all']);
    expect(code).toBe(0);
    expect(gitSays(one.git, 'merge-base', '--is-ancestor', mine, 'main')).toBe(true);
    expect(['a', 'b', 'c'].filter((task) => isLanded(one, task))).toEqual(['a', 'b', 'c']);
    expect(landedTasks(one.git, 'main').sort()).toEqual(['a', 'b', 'c']);
    expect(one.git('show', 'main:PRD.md')).not.toContain('[ ]');
    expect(starts(one)).toHaveLength(3);
    expect((await ralph(one, ['land', '--all'])).code).toBe(0);
  });

  it('land ID lands that one only; what a person discarded is not left over, and not done', async () => {
    const one = await ready();
    expect((await ralph(one, ['land', 'b'])).code).toBe(0);
    expect(['a', 'b', 'c'].filter((task) => isLanded(one, task))).toEqual(['b']);
    expect((await ralph(one, ['loops', 'discard', 'c', '-y'])).code).toBe(0);
    const { code, stdout, stderr } = await ralph(one, ['land', '--all', '--json']);
    expect([code, summaryOf(stdout)]).toEqual([
      0,
      { landed: ['a'], ready: [], parked: [], stopped: [], waiting: [], open: [] },
    ]);
    expect(listOf(stdout, 'discarded')).toMatchObject([{ task: 'c', state: 'discarded' }]);
    expect(stderr).toMatch(/1 landed, 0 ready, 0 parked, 1 discarded[^]*discarded c: a person discarded it/);
    expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
    expect(['a', 'b', 'c'].filter((task) => isLanded(one, task))).toEqual(['a', 'b']);
  });

  it('--merge-policy and --publish on the command line win', async () => {
    const one = scratch();
    project(one, { tasks: ['a'], config: { parallel: { merge_policy: 'manual' } } });
    const main = one.git('rev-parse', 'main');
    expect((await ralph(one, ['run', '--merge-policy', 'auto_merge', '--publish', 'manual'])).code).toBe(0);
    expect(one.git('rev-parse', 'main')).toBe(main);
    expect(landedTasks(one.git, 'refs/paralph/int/main')).toEqual(['a']);
  });

  it('a target other than main: only that branch moves, and what was begun for it lands nowhere else', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    one.git('branch', 'release');
    const main = one.git('rev-parse', 'main');
    const toRelease = ['run', '--target', 'release', '--agent', 'scripted'];
    await crashAt(one, toRelease, 'run.after_spawn');
    const refused = await ralph(one, ['run', '--agent', 'scripted']);
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('fix: ralph run --target release')]);
    expect((await ralph(one, toRelease)).code).toBe(0);
    expect(one.git('rev-parse', 'main')).toBe(main);
    expect(one.git('show', 'release:a.txt')).toBe('made by a');
    expect(one.git('rev-parse', 'refs/paralph/int/release')).toBe(one.git('rev-parse', 'release'));
  });
});
