import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitSays } from '../harness/git.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const has = (one: Scratch, path: string, at = 'main'): boolean => gitSays(one.git, 'cat-file', '-e', `${at}:${path}`);

async function landed(
  config: Parameters<typeof project>[1]['config'] = {},
  tasks: Parameters<typeof project>[1]['tasks'] = ['a', 'b', 'c'],
): Promise<Scratch> {
  const one = scratch();
  project(one, { tasks, config });
  expect((await ralph(one, ['run'])).code).toBe(0);
  return one;
}

const statusOf = async (one: Scratch, task: string): Promise<string> => {
  const { stdout } = await ralph(one, ['tasks', 'list', '--json']);
  return JSON.stringify((JSON.parse(stdout) as { tasks: { id: string }[] }).tasks.find(({ id }) => id === task));
};

describe('A18.11 ralph revert', () => {
  for (const method of ['merge', 'squash', 'rebase'])
    it(`takes back the second of three landings by a landing of its own (${method})`, async () => {
      const one = await landed({ landing: { method } });
      const before = one.git('rev-parse', 'main');
      const { code, stderr } = await ralph(one, ['revert', 'b']);
      expect([code, stderr]).toEqual([0, expect.stringContaining('b is undone as')]);
      expect(['a', 'b', 'c'].map((task) => has(one, `${task}.txt`))).toEqual([true, false, true]);
      expect(one.git('merge-base', '--is-ancestor', before, 'main')).toBe('');
      expect(one.git('show', 'main:PRD.md')).toMatch(/\[x\] Make a[^]*\[ \] Make b[^]*\[x\] Make c/);
      expect(one.git('log', '-1', '--format=%B', 'main')).toMatch(/^Revert b[^]*This reverts commit [0-9a-f]{40}/);
      expect(one.git('status', '--porcelain')).toBe('');
      expect(await statusOf(one, 'b')).toContain('"open"');
      expect((await ralph(one, ['run'])).code).toBe(0);
      expect(has(one, 'b.txt')).toBe(true);
      expect(starts(one)).toHaveLength(4);
    });

  it('is tested like any landing: what is red without it does not land', async () => {
    const one = await landed({ gates: { commands: ['test ! -e NEEDS-B || test -e b.txt'] } });
    one.put('NEEDS-B', '');
    one.git('add', 'NEEDS-B');
    one.git('commit', '-qm', 'Build on it');
    const { code, stderr } = await ralph(one, ['revert', 'b']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/parked {2}revert-b-\w+ \(red\)/)]);
    expect(has(one, 'b.txt')).toBe(true);
    expect(one.git('show', 'main:PRD.md')).not.toContain('[ ]');
    expect(await statusOf(one, 'b')).not.toContain('"open"');
  });

  it('names the files where something landed on top of it, and changes nothing', async () => {
    const one = scratch();
    const write = (text: string) => [{ write: { path: 'same.txt', text } }, { claim: true }] as const;
    project(one, { tasks: ['a', 'b'], byTask: { a: write('one\n'), b: write('two\n') } });
    expect((await ralph(one, ['run'])).code).toBe(0);
    const before = one.git('for-each-ref');
    const { code, stderr } = await ralph(one, ['revert', 'a']);
    expect([code, stderr]).toEqual([6, expect.stringContaining('same.txt')]);
    expect(one.git('for-each-ref')).toBe(before);
  });

  it('opens the box of a task file that git does not have', async () => {
    const one = scratch();
    project(one, { tasks: ['a'], files: { '.gitignore': 'PRD.md\n' } });
    expect((await ralph(one, ['run'], { isCheckoutGuarded: false })).code).toBe(0);
    expect(readFileSync(join(one.repo, 'PRD.md'), 'utf8')).toContain('[x] Make a');
    expect((await ralph(one, ['revert', 'nothing'])).code).toBe(2);
    expect((await ralph(one, ['revert', 'a'])).code).toBe(0);
    expect(readFileSync(join(one.repo, 'PRD.md'), 'utf8')).toContain('[ ] Make a');
    expect((await ralph(one, ['revert', 'a'])).code).toBe(2);
    expect(await statusOf(one, 'a')).toContain('"open"');
  });

  it('leaves it to the host that is alive, and what the user commits meanwhile ticks nothing again', async () => {
    const one = scratch();
    project(one, {
      tasks: ['a', 'b', 'slow'],
      byTask: { slow: [{ waitForFile: { path: beside(one, 'go') } }, ...HONEST] },
    });
    const run = startRalph(one, ['run', '--parallel', '--max-workers', '3']);
    await run.waitFor(/\bb landed[^]*|\ba landed[^]*\bb landed/);
    await until(
      'a and b have landed',
      () => /a landed/.test(run.output().stderr) && /b landed/.test(run.output().stderr),
    );
    expect((await ralph(one, ['pause'])).code).toBe(0);
    expect((await ralph(one, ['revert', 'a'])).code).toBe(0);
    one.put('mine.txt', 'mine\n');
    one.git('add', 'mine.txt');
    one.git('commit', '-qm', 'Mine');
    writeFileSync(beside(one, 'go'), '');
    await until('the last one has landed', () => /slow landed/.test(run.output().stderr));
    run.signal('SIGTERM');
    await run.ended;
    await ralph(one, ['publish']);
    expect(['a.txt', 'b.txt', 'slow.txt', 'mine.txt'].map((path) => has(one, path))).toEqual([false, true, true, true]);
    expect(one.git('show', 'main:PRD.md')).toMatch(/\[ \] Make a[^]*\[x\] Make b[^]*\[x\] Make slow/);
  });
});
