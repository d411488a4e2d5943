import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { EMPTY_STATE } from '../../../src/core/model/model.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { ourWorktrees } from '../../../src/world/loops/our-worktrees.ts';
import { scratchRepo } from '../scratch.ts';

it('a worktree that git cannot read stays, and the others are told all the same', async () => {
  const scratch = scratchRepo();
  onTestFinished(() => scratch.remove());
  const worktreeRoot = join(scratch.dir, '.ralph/worktrees');
  for (const name of ['wt-1', 'wt-2'])
    scratch.git(
      'worktree',
      'add',
      '-q',
      '--lock',
      '--reason',
      'paralph worktree',
      '-b',
      name,
      join(worktreeRoot, name),
    );
  writeFileSync(join(worktreeRoot, 'wt-1/.git'), `gitdir: ${scratch.dir}/.git/worktrees/gone\n`);
  writeFileSync(join(worktreeRoot, 'wt-2/new.txt'), 'new\n');
  const repo = findRepository(scratch.dir);
  const found = await ourWorktrees({ repo, view: await openView(repo), state: EMPTY_STATE, worktreeRoot });
  expect(found.map(({ keep }) => keep)).toEqual([
    expect.stringContaining('git cannot read it: git -C '),
    'it has uncommitted work',
  ]);
});
