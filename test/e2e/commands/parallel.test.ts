import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { gitSays, refsBelow } from '../harness/git.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const RUN = ['run', '--parallel', '--max-workers', '3'];

/** One task that lands, one that is parked with uncommitted and ignored files about. */
async function afterARun(): Promise<{ readonly one: Scratch; readonly parked: string }> {
  const one = scratch();
  project(one, {
    tasks: ['good', 'bad'],
    byTask: {
      bad: [
        { write: { path: 'bad.txt', text: 'unlanded' } },
        { write: { path: 'note.ignored', text: 'ignored' } },
        { exit: 3 },
      ],
    },
    config: { limits: { consecutive_failures: 1 } },
  });
  expect((await ralph(one, RUN)).code).toBe(1);
  return { one, parked: starts(one).find((call) => call.task === 'bad')?.cwd ?? '' };
}

const isKept = (one: Scratch): boolean => one.git('log', '--all', '--format=%H', '--', 'bad.txt') !== '';

describe('parallel list and clean', () => {
  it('S2.5 S2.9 S4.7 what the last run left is listed, and neither the next run nor clean destroys it or what is yours', async () => {
    const { one, parked } = await afterARun();
    const { code, stdout } = await ralph(one, ['parallel', 'list']);
    expect(code).toBe(0);
    expect(stdout).toContain('bad');
    expect(stdout).toMatch(/parked/i);
    expect(existsSync(join(parked, 'bad.txt'))).toBe(true);
    const json = await ralph(one, ['parallel', 'list', '--json']);
    expect(JSON.stringify(JSON.parse(json.stdout))).toContain(parked);

    const valued = (): string[] =>
      refsBelow(one.git, 'refs/heads/ralph/').map((ref) => `${ref} ${one.git('rev-parse', ref)}`);
    const before = valued();
    await ralph(one, RUN);
    expect(existsSync(join(parked, 'bad.txt'))).toBe(true);
    expect(valued()).toEqual(expect.arrayContaining(before));

    const own = [beside(one, 'mine'), join(one.repo, '.ralph/worktrees/mine-too')];
    for (const [n, path] of own.entries()) {
      one.git('worktree', 'add', '-q', '-b', `mine-${n}`, path);
      writeFileSync(join(path, 'dirty.txt'), 'mine');
    }
    const alike = beside(one, 'looks-like-yours');
    one.git('worktree', 'add', '-q', '-b', 'ralph/mine', alike);
    one.git('branch', 'ralph/also-mine');
    const branches = refsBelow(one.git, 'refs/heads/ralph/').filter((ref) =>
      gitSays(one.git, 'cat-file', '-e', `${ref}:bad.txt`),
    );
    expect(branches).toHaveLength(1);
    expect((await ralph(one, ['parallel', 'clean'])).code).toBe(0);
    expect(readFileSync(join(parked, 'bad.txt'), 'utf8')).toBe('unlanded');
    expect(readFileSync(join(parked, 'note.ignored'), 'utf8')).toBe('ignored');
    expect(refsBelow(one.git, 'refs/heads/ralph/')).toEqual(expect.arrayContaining(branches));
    expect(isKept(one)).toBe(true);
    for (const path of own) expect(readFileSync(join(path, 'dirty.txt'), 'utf8')).toBe('mine');
    expect(existsSync(alike)).toBe(true);
    expect(gitSays(one.git, 'rev-parse', '--verify', 'ralph/also-mine')).toBe(true);
    // Worktrees of what landed are gone, and no other.
    const paths = one
      .git('worktree', 'list', '--porcelain')
      .split('\n')
      .filter((line) => line.startsWith('worktree '));
    expect(paths.sort()).toEqual([one.repo, parked, ...own, alike].map((path) => `worktree ${path}`).sort());
  });

  it('clean while a run is at work leaves its worktrees alone', async () => {
    const one = scratch();
    project(one, { tasks: ['a', 'b'], agent: [{ waitForFile: { path: beside(one, 'go') } }, ...HONEST] });
    const run = startRalph(one, RUN);
    await until('two agents', () => starts(one).length === 2);
    expect([0, 5]).toContain((await ralph(one, ['parallel', 'clean'])).code);
    for (const call of starts(one)) expect(existsSync(call.cwd)).toBe(true);
    writeFileSync(beside(one, 'go'), '');
    expect((await run.ended).code).toBe(0);
  });
});
