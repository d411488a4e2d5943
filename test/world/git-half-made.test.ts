import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { sha } from '../../src/core/ids.ts';
import { findRepository } from '../../src/world/git/repository.ts';
import { addWorktree, removeHalfMade } from '../../src/world/git/worktrees.ts';
import { scratchRepo } from './scratch.ts';

it('what another host took back and made anew meanwhile is not taken back once more', async () => {
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
  await removeHalfMade(repo, debris);
  await addWorktree(repo, { path, branch: 'ralph/new', base, reason: 'paralph worktree' });
  writeFileSync(join(path, 'work.txt'), 'somebody works here\n');
  // This host had seen the debris before all that, and comes to it only now.
  await removeHalfMade(repo, debris);
  expect(existsSync(join(path, 'work.txt'))).toBe(true);
});
