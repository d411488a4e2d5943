import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loopId } from '../../../src/core/model/ids.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { takeCheckout } from '../../../src/world/checkout/take-checkout.ts';
import { readLoopFiles } from '../../../src/world/checkout/loop-files.ts';
import type { ScratchRepo } from '../scratch.ts';
import { scratchRepo } from '../scratch.ts';

const ID = loopId('x');
let one: ScratchRepo;
afterEach(() => one.remove());

/** What a loop that works in the checkout has changed by now, as git names it. */
async function changed(branch = 'ralph/x'): Promise<string> {
  const repo = findRepository(one.dir);
  const view = await openView(repo);
  const loop = { id: ID, branch, worktree: one.dir, place: { at: 'checkout', path: one.dir, branch: null } } as const;
  const files = await readLoopFiles(repo, view, loop, 'main');
  return one.git('diff', '--name-status', '--no-renames', files?.base ?? 'main', files?.tree ?? 'main');
}

async function begin(branch = 'ralph/x'): Promise<void> {
  const repo = findRepository(one.dir);
  await takeCheckout({ repo, view: await openView(repo) }, { path: one.dir, branch, loop: ID });
}

describe('what a loop in place has made by now', () => {
  it('is what it changed, committed or not, without what was yours before', async () => {
    one = scratchRepo({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' } });
    one.write('b.txt', 'yours\n');
    one.write('new.txt', 'yours\n');
    await begin();
    expect(await changed()).toBe('');
    one.write('a.txt', 'by the loop\n');
    one.write('made.txt', 'by the loop\n');
    rmSync(join(one.dir, 'c.txt'));
    expect(await changed()).toBe('M\ta.txt\nD\tc.txt\nA\tmade.txt');
    // An agent commits on the branch that stands there, and sweeps in what is not its own.
    one.commit('sweep');
    one.write('a.txt', 'more\n');
    expect(await changed()).toBe('M\ta.txt\nD\tc.txt\nA\tmade.txt');
    expect(one.git('status', '--porcelain')).toBe('M a.txt');
  });

  it('has nothing of what others have landed since', async () => {
    one = scratchRepo({ files: { 'a.txt': 'a\n' } });
    await begin();
    one.write('landed.txt', 'by another\n');
    one.git('update-ref', 'refs/paralph/int/main', one.commit('land'));
    one.write('a.txt', 'by the loop\n');
    expect(await changed()).toBe('M\ta.txt');
  });

  it('on a branch of yours counts from where that left the target', async () => {
    one = scratchRepo({ files: { 'a.txt': 'a\n' } });
    one.git('checkout', '-qb', 'topic');
    one.write('topic.txt', 'yours, and it lands\n');
    one.commit('topic');
    one.write('topic.txt', 'yours, not committed\n');
    await begin('topic');
    one.write('a.txt', 'by the loop\n');
    expect(await changed('topic')).toBe('M\ta.txt\nA\ttopic.txt');
  });
});
