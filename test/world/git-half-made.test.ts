import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { sha } from '../../src/core/ids.ts';
import { type Repository, findRepository } from '../../src/world/git/repository.ts';
import type { HalfMade } from '../../src/world/git/worktree-intents.ts';
import { takeWorktree } from '../../src/world/git/worktree-pool.ts';
import { addWorktree, removeHalfMade } from '../../src/world/git/worktrees.ts';
import { type ScratchRepo, scratchRepo } from './scratch.ts';

/** A worktree that a process began and was killed over. */
function killedOver(): { readonly scratch: ScratchRepo; readonly repo: Repository; readonly debris: HalfMade } {
  const scratch = scratchRepo();
  onTestFinished(() => scratch.remove());
  const repo = findRepository(scratch.dir);
  const base = sha(scratch.git('rev-parse', 'HEAD'));
  const path = join(scratch.dir, '.ralph/worktrees/wt-1');
  const debris = { path, branch: 'ralph/old', base, createsBranch: true };
  const by = { pid: 1, startTime: '0', bootId: 'gone' };
  mkdirSync(join(repo.stateDir, 'half-made'), { recursive: true });
  const name = createHash('sha256').update(path).digest('hex').slice(0, 24);
  writeFileSync(join(repo.stateDir, `half-made/${name}.json`), JSON.stringify({ ...debris, by }));
  return { scratch, repo, debris };
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
