import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import { lookAtHalfMade } from '../../../src/world/worktrees/half-made.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { adminDirOf } from '../../../src/world/git/files/worktree-admin.ts';
import { takeWorktree } from '../../../src/world/worktrees/worktree-pool.ts';
import { addWorktree, removeHalfMade } from '../../../src/world/worktrees/worktrees.ts';
import { healWorktreeEntries } from '../../../src/world/keep/heal-entries.ts';
import { gitIn, scratchRepo } from '../scratch.ts';
import type { Repository } from '../../../src/world/git/run/repository.ts';
import type { HalfMade } from '../../../src/world/worktrees/half-made.ts';
import type { ScratchRepo } from '../scratch.ts';

/** A worktree that a process began and was killed over. */
function killedOver(branch = 'ralph/old'): {
  readonly scratch: ScratchRepo;
  readonly repo: Repository;
  readonly debris: HalfMade;
  readonly noteAgain: () => void;
} {
  const scratch = scratchRepo();
  onTestFinished(() => scratch.remove());
  const repo = findRepository(scratch.dir);
  const base = sha(scratch.git('rev-parse', 'HEAD'));
  const path = join(scratch.dir, '.ralph/worktrees/wt-1');
  const debris = { path, branch, base, createsBranch: true };
  const by = { pid: 1, startTime: '0', bootId: 'gone' };
  mkdirSync(join(repo.stateDir, 'half-made'), { recursive: true });
  const name = createHash('sha256').update(path).digest('hex').slice(0, 24);
  const noteAgain = (): void =>
    writeFileSync(join(repo.stateDir, `half-made/${name}.json`), JSON.stringify({ ...debris, by }));
  noteAgain();
  return { scratch, repo, debris, noteAgain };
}

/** What a git leaves that was killed while it made a branch. */
function lock(repo: Repository, branch: string): string {
  const path = join(repo.commonDir, 'refs/heads', `${branch}.lock`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  return path;
}

it('what another host took back and made anew meanwhile is not taken back once more', async () => {
  const { repo, debris } = killedOver();
  const { path, base } = debris;
  await removeHalfMade(repo, debris);
  await addWorktree(repo, { path, branch: 'ralph/new', base, reason: 'paralph worktree' });
  writeFileSync(join(path, 'work.txt'), 'somebody works here\n');
  // This host had seen the debris before all that, and comes to it only now.
  await removeHalfMade(repo, debris);
  expect(existsSync(join(path, 'work.txt'))).toBe(true);
});

it('an entry in which git had written nothing yet goes too; one that holds something is left', async () => {
  const { repo, debris, noteAgain } = killedOver();
  const entry = join(repo.commonDir, 'worktrees', basename(debris.path));
  mkdirSync(entry, { recursive: true });
  await removeHalfMade(repo, debris);
  expect(existsSync(entry)).toBe(false);
  noteAgain();
  mkdirSync(join(entry, 'logs'), { recursive: true });
  await removeHalfMade(repo, debris);
  expect(existsSync(entry)).toBe(true);
});

it('what somebody died over does not keep its branch from whoever goes on with it', async () => {
  const { scratch, repo, debris } = killedOver();
  const { path, branch, base } = debris;
  scratch.git('worktree', 'add', '-q', '--no-checkout', '--lock', '--reason', 'paralph worktree', '-b', branch, path);
  const made = await takeWorktree(repo, { worktreeRoot: dirname(path), name: 'wt-2', branch, base });
  expect(gitIn(made.path, 'status', '--porcelain', '--branch')).toBe(`## ${branch}`);
  expect(existsSync(path)).toBe(false);
});

it('a lock on the branch that was to be made goes with what was half-made; one that was there before stays', async () => {
  const { repo, debris } = killedOver();
  const ours = lock(repo, debris.branch);
  await removeHalfMade(repo, debris);
  expect(existsSync(ours)).toBe(false);
  const earlier = killedOver();
  const theirs = lock(earlier.repo, debris.branch);
  utimesSync(theirs, new Date(0), new Date(0));
  await removeHalfMade(earlier.repo, earlier.debris);
  expect(existsSync(theirs)).toBe(true);
});

it('what could not be made, since another branch stands where its folder would be, is taken back all the same', async () => {
  const { scratch, repo, debris } = killedOver('ralph/old/er');
  scratch.git('branch', 'ralph/old');
  await removeHalfMade(repo, debris);
  expect(scratch.git('branch', '--list', 'ralph/*').trim()).toBe('ralph/old');
});

it('a lock that a killed git left on the branch of a loop does not keep the loop from its worktree', async () => {
  const { repo, debris } = killedOver();
  await removeHalfMade(repo, debris);
  const dead = lock(repo, 'ralph/x-1');
  utimesSync(dead, new Date(0), new Date(0));
  const worktreeRoot = join(repo.root, '.ralph/worktrees');
  const { base } = debris;
  const made = await takeWorktree(repo, { worktreeRoot, name: 'wt', branch: 'ralph/x-1', base });
  expect(readFileSync(join(repo.commonDir, 'refs/heads/ralph/x-1'), 'utf8').trim()).toBe(base);
  expect(existsSync(join(made.path, '.git'))).toBe(true);
});

it('where somebody died over a worktree nobody claims the same name before it is taken back', async () => {
  const { repo, debris } = killedOver();
  const worktreeRoot = dirname(debris.path);
  const { base } = debris;
  const made = await takeWorktree(repo, { worktreeRoot, name: 'wt-1', branch: 'ralph/x-1', base });
  expect(made.path).toBe(`${debris.path}-2`);
  await removeHalfMade(repo, debris);
  const next = await takeWorktree(repo, { worktreeRoot, name: 'wt-1', branch: 'ralph/x-2', base });
  expect(next.path).toBe(debris.path);
});

it('who makes a worktree where one was never finished refuses while somebody’s work is in it', async () => {
  const { repo, debris, noteAgain } = killedOver();
  const { path, branch, base } = debris;
  await removeHalfMade(repo, debris);
  await addWorktree(repo, { path, branch, base, reason: 'paralph worktree' });
  noteAgain();
  writeFileSync(join(path, 'work.txt'), 'work\n');
  const again = (): Promise<void> => addWorktree(repo, { path, branch, base, reason: 'paralph worktree' });
  await expect(again()).rejects.toMatchObject({ code: 'E_NEEDS_PERSON', remedy: 'ralph doctor --fix' });
  expect(existsSync(join(path, 'work.txt'))).toBe(true);
  const [kept] = (await healWorktreeEntries(repo)).takenBack;
  expect(kept).toMatchObject({ path, stays: false });
  await again();
  expect([existsSync(join(path, '.git')), existsSync(join(path, 'work.txt'))]).toEqual([true, false]);
});

it.each<readonly [string, (scene: { readonly path: string; readonly adminDir: string }) => void]>([
  ['a file is gone', ({ path }) => rmSync(join(path, 'README.md'))],
  ['a file is empty', ({ path }) => truncateSync(join(path, 'README.md'))],
  ['a file may be run', ({ path }) => chmodSync(join(path, 'README.md'), 0o755)],
  [
    'something is staged',
    ({ path }) => {
      writeFileSync(join(path, 'staged.txt'), 'x');
      gitIn(path, 'add', 'staged.txt');
      rmSync(join(path, 'staged.txt'));
    },
  ],
  ['it stands on another branch', ({ path }) => gitIn(path, 'checkout', '-q', '-b', 'mine')],
  ['a merge is under way', ({ adminDir }) => writeFileSync(join(adminDir, 'MERGE_HEAD'), '')],
])('a checkout that came to its end is somebody’s when %s', async (_what, act) => {
  const { repo, debris, noteAgain } = killedOver();
  await removeHalfMade(repo, debris);
  await addWorktree(repo, { ...debris, reason: 'paralph worktree' });
  const adminDir = adminDirOf(repo, debris.path) ?? '';
  expect(await lookAtHalfMade(repo, debris, adminDir)).toEqual({ isCheckedOut: true, holdsWork: false });
  noteAgain();
  act({ path: debris.path, adminDir });
  expect(await lookAtHalfMade(repo, debris, adminDir)).toEqual({ isCheckedOut: true, holdsWork: true });
});
