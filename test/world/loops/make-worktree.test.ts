import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Sha, loopId, sha } from '../../../src/core/model/ids.ts';
import { EMPTY_STATE } from '../../../src/core/model/model.ts';
import { makeWorktree } from '../../../src/engine/effects/make-worktree.ts';
import type { PerformContext } from '../../../src/engine/effects/perform-context.ts';
import { readIdentity } from '../../../src/world/git/run/identity.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { openWorktrees } from '../../../src/world/loops/loop-worktrees.ts';
import { treeOf } from '../../../src/world/git/objects/trees.ts';
import type { World, Worktrees } from '../../../src/world/contract/world.ts';
import { gitIn, scratchRepo } from '../scratch.ts';
import { provisions } from '../provisions.ts';
import type { ScratchRepo } from '../scratch.ts';

let scratch: ScratchRepo;
beforeEach(() => {
  scratch = scratchRepo({ files: { 'a.txt': 'a\n' } });
});
afterEach(() => scratch.remove());

const COMMAND = { type: 'make-worktree', key: 'k', loop: loopId('a'), fence: 1, branch: 'ralph/a', onto: [] } as const;

/** As it is made for a loop, on top of main as it is now; somebody may meddle before git is asked. */
async function make(meddle: (branch: string) => void = () => undefined): Promise<Record<string, unknown>> {
  const repo = findRepository(scratch.dir);
  const view = await openView(repo);
  const identity = await readIdentity(repo);
  const worktreeRoot = join(scratch.dir, '.worktrees');
  const real = openWorktrees({
    repo,
    view,
    identity,
    worktreeRoot,
    trackerPath: 'tasks.md',
    union: [],
    ignored: [],
    maxNew: { files: 2000, mb: 50 },
    provisions: provisions(),
  });
  const worktrees: Worktrees = { ...real, make: (order) => (meddle(order.branch), real.make(order)) };
  const head = sha(scratch.git('rev-parse', 'main'));
  const integration = { sync: async () => ({ head, upstream: null }), treeOf: (commit: Sha) => treeOf(view, commit) };
  const world = { worktrees, integration } as unknown as World;
  const context = { world, state: () => EMPTY_STATE } as unknown as PerformContext;
  const [event] = await makeWorktree(context, { ...COMMAND, head: null }, new AbortController().signal);
  return { ...event };
}

const userMakes = (branch: string): string => {
  const mine = scratch.git('commit-tree', '-m', 'mine', 'main^{tree}');
  scratch.git('branch', branch, mine);
  return mine;
};

it('case 6: a branch that is elsewhere gives a new suffix, also when it comes in that very moment; none is moved', async () => {
  const first = userMakes('ralph/a');
  const second: string[] = [];
  const made = await make((branch) => {
    if (branch === 'ralph/a-2') second.push(userMakes(branch));
  });
  expect(made).toMatchObject({ type: 'worktree-made', branch: 'ralph/a-3' });
  expect(gitIn(String(made['path']), 'symbolic-ref', '--short', 'HEAD')).toBe('ralph/a-3');
  expect([scratch.git('rev-parse', 'ralph/a'), scratch.git('rev-parse', 'ralph/a-2')]).toEqual([first, ...second]);
  scratch.write('a.txt', 'later\n');
  scratch.commit();
  expect(await make(), 'after a crash it is the same one').toEqual({ ...made, reused: true });
});

it('a branch of ours is taken up where it stands, though main has gone on', async () => {
  const made = await make();
  expect(made).not.toHaveProperty('branch');
  scratch.write('a.txt', 'later\n');
  scratch.commit();
  expect(await make()).toEqual({ ...made, reused: true });
});

it('what fails for another reason is told as it is', async () => {
  scratch.git('branch', 'ralph/a/below');
  await expect(make()).rejects.toMatchObject({ code: 'E_GIT' });
});
