import { existsSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { crashAt } from '../harness/crash.ts';
import { gitIn, landedTasks, refsBelow } from '../harness/git.ts';
import { project } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

/** `ralph worktree new mine`, killed when git had written every file. */
async function killedOverMine(): Promise<{ readonly one: Scratch; readonly path: string }> {
  const one = scratch();
  project(one, { tasks: ['a'] });
  const path = beside(one, 'mine');
  await crashAt(one, ['worktree', 'new', 'mine', '--path', path], 'wt.checked_out');
  return { one, path };
}

/** What a person does who finds it looking finished. */
function workIn({ env }: Scratch, path: string): void {
  const git = gitIn(path, env);
  writeFileSync(join(path, 'committed.txt'), 'committed\n');
  git('add', 'committed.txt');
  git('commit', '-q', '-m', 'Mine');
  writeFileSync(join(path, 'README.md'), 'changed\n');
  writeFileSync(join(path, 'new.txt'), 'new\n');
}

/** The branch that came with it is taken for one of the user's by whoever guards the checkout. */
const BRANCH_GOES = { isCheckoutGuarded: false };

const notes = (one: Scratch): readonly string[] => readdirSync(join(one.repo, '.git/paralph/half-made'));
const keeps = (one: Scratch): readonly string[] => refsBelow(one.git, 'refs/paralph/keep/');

describe('a worktree whose maker was killed, and in which somebody has worked since', () => {
  it.each([['doctor', '--fix'], ['run']])('stays when it had become whole: ralph %s', async (...args) => {
    const { one, path } = await killedOverMine();
    workIn(one, path);
    const { code, stdout, stderr } = await ralph(one, args);
    expect(code, stderr).toBe(0);
    expect(`${stdout}${stderr}`).toContain(`the worktree ${path} was never finished, but it holds work`);
    expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('changed\n');
    expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n');
    expect(one.git('log', '-1', '--format=%s', 'feature/mine')).toBe('Mine');
    expect(notes(one)).toEqual([]);
    // It is brought to its end by whoever asks for it again, with what is in it.
    expect((await ralph(one, ['worktree', 'new', 'mine', '--path', path])).code).toBe(0);
    expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('changed\n');
    expect((await ralph(one, ['worktree', 'list'])).stdout).toMatch(/mine +feature\/mine/);
  });

  it('is kept first when its checkout was killed too, with what git ignores', async () => {
    const { one, path } = await killedOverMine();
    // What a git leaves that was killed over the last of the files: no index.
    rmSync(join(one.repo, '.git/worktrees/mine/index'));
    rmSync(join(path, 'PRD.md'));
    writeFileSync(join(path, 'new.txt'), 'new\n');
    writeFileSync(join(path, '.env'), 'KEY=1\n');
    const { code, stdout } = await ralph(one, ['doctor', '--fix'], BRANCH_GOES);
    expect(code, stdout).toBe(0);
    const [ref = ''] = keeps(one);
    expect(stdout).toContain(`removed the half-made worktree ${path}; what was done in it is kept as `);
    expect([existsSync(path), one.git('show', `${ref}:new.txt`)]).toEqual([false, 'new']);
    expect(one.git('show', `${ref}:.env`)).toBe('KEY=1');
  });

  it('goes without a keep when it holds nothing but files of its commit, some missing or cut short', async () => {
    const { one, path } = await killedOverMine();
    rmSync(join(one.repo, '.git/worktrees/mine/index'));
    rmSync(join(path, 'PRD.md'));
    truncateSync(join(path, 'README.md'), 1);
    const { code, stdout } = await ralph(one, ['doctor', '--fix'], BRANCH_GOES);
    expect(code, stdout).toBe(0);
    expect([existsSync(path), keeps(one)]).toEqual([false, []]);
    expect(refsBelow(one.git, 'refs/heads/feature/')).toEqual([]);
  });

  it('is kept first and made again when it is a loop’s', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    await crashAt(one, ['run'], 'wt.checked_out');
    const path = join(one.repo, '.ralph/worktrees/wt');
    writeFileSync(join(path, 'mine.txt'), 'mine\n');
    const { code, stderr } = await ralph(one, ['run']);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/^healed: removed the half-made worktree .*; what was done in it is kept as /m);
    const held = keeps(one).filter((ref) => one.git('ls-tree', '--name-only', ref).includes('mine.txt'));
    expect(held).toHaveLength(1);
    expect(landedTasks(one.git, 'main')).toEqual(['a']);
    expect(one.git('ls-tree', '--name-only', 'main')).not.toContain('mine.txt');
  });

  it('loses no commit when it was being restored on no branch', async () => {
    const one = scratch();
    project(one, { tasks: ['a'] });
    const gone = beside(one, 'gone');
    expect((await ralph(one, ['worktree', 'new', 'gone', '--path', gone])).code).toBe(0);
    writeFileSync(join(gone, 'kept.txt'), 'kept\n');
    expect((await ralph(one, ['worktree', 'remove', 'gone', '--force'])).code).toBe(0);
    const id = (keeps(one)[0] ?? '').replace('refs/paralph/keep/', '');
    const path = beside(one, 'restored');
    await crashAt(one, ['keep', 'restore', id, '--worktree', path], 'undo.entry');
    const git = gitIn(path, one.env);
    git('reset', '-q', '--hard');
    git('commit', '-q', '--allow-empty', '-m', 'Mine');
    const commit = git('rev-parse', 'HEAD');
    expect((await ralph(one, ['doctor', '--fix'])).code).toBe(0);
    expect([git('rev-parse', 'HEAD'), notes(one)]).toEqual([commit, []]);
  });
});
