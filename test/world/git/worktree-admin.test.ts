import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { adminDirOf, gitDirs } from '../../../src/world/git/files/worktree-admin.ts';
import { justBefore } from '../fixtures/just-before.ts';
import { scratchRepo } from '../scratch.ts';

it('the entry of a worktree is the one that leads there, whatever it is named', () => {
  const { dir, git, remove } = scratchRepo();
  onTestFinished(remove);
  const repo = findRepository(dir);
  const place = (name: string): string => join(dirname(dir), name);
  const [one, two, gone] = [place('a/wt'), place('b/wt'), place('c/gone')];
  for (const path of [one, two, gone]) git('worktree', 'add', '-q', '--detach', path);
  const entry = (name: string): string => join(repo.commonDir, 'worktrees', name);
  expect([adminDirOf(repo, one), adminDirOf(repo, two)]).toEqual([entry('wt'), entry('wt1')]);

  symlinkSync(place('b'), place('link'));
  expect(adminDirOf(repo, place('link/wt'))).toBe(entry('wt1'));
  rmSync(gone, { recursive: true });
  expect([adminDirOf(repo, gone), adminDirOf(repo, place('c/other')), adminDirOf(repo, dir)]).toEqual([
    entry('gone'),
    null,
    null,
  ]);

  renameSync(entry('wt'), entry('moved'));
  renameSync(entry('wt1'), entry('wt'));
  expect([adminDirOf(repo, one), adminDirOf(repo, two)]).toEqual([entry('moved'), entry('wt')]);
  writeFileSync(join(entry('moved'), 'gitdir'), '');
  expect(adminDirOf(repo, one)).toBeNull();
});

it('git removes the folder of all entries with the last one: then there are none', () => {
  const { dir, git, remove } = scratchRepo();
  onTestFinished(remove);
  const repo = findRepository(dir);
  const path = join(dirname(dir), 'wt');
  git('worktree', 'add', '-q', '--detach', path);
  justBefore(
    'readdirSync',
    (folder) => folder.endsWith('/worktrees'),
    () => git('worktree', 'remove', path),
  );
  expect(gitDirs(repo)).toEqual([repo.commonDir]);
});
