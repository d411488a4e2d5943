import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import { push, requireBranchName, requireRemote } from '../../../src/world/git/refs/remote.ts';
import { rebaseBranch } from '../../../src/world/loops/rebase-branch.ts';
import type { Rebased } from '../../../src/world/loops/rebase-branch.ts';
import type { KeepScene } from '../keep/keep-scene.ts';
import { BRANCH, keepScene, LOOP } from '../keep/keep-scene.ts';
import { gitIn } from '../scratch.ts';

/** A branch with two commits in its worktree, and a main that has gone on. */
async function parted(theirs = 'main.txt'): Promise<KeepScene> {
  const scene = await keepScene({ 'a.txt': 'a\n' });
  for (const name of ['one.txt', 'two.txt']) {
    scene.put(name, `${name}\n`);
    scene.git('add', '-A');
    scene.git('commit', '-qm', `Add ${name}`);
  }
  commitOnMain(scene, theirs, 'main\n');
  return scene;
}

function commitOnMain(scene: KeepScene, name: string, text: string): void {
  scene.scratch.write(name, text);
  scene.scratch.git('add', '-A');
  scene.scratch.git('commit', '-qm', `Main adds ${name}`);
}

const rebase = (scene: KeepScene, path: string | null = scene.path): Promise<Rebased> =>
  rebaseBranch(scene.place, {
    loop: LOOP,
    branch: BRANCH,
    path,
    base: sha(scene.scratch.git('rev-parse', 'main')),
    target: 'main',
  });

describe('rebaseBranch', () => {
  it('replays the commits on the base, moves the files along, and names what was', async () => {
    const scene = await parted();
    const before = scene.git('rev-parse', 'HEAD');
    const done = await rebase(scene);
    expect(done).toMatchObject({ how: 'rebased', from: before });
    expect(scene.git('log', '--format=%s', 'main..HEAD')).toBe('Add two.txt\nAdd one.txt');
    expect([scene.git('status', '--porcelain'), existsSync(join(scene.path, 'main.txt'))]).toEqual(['', true]);
    expect(scene.scratch.git('rev-parse', 'kept' in done ? done.kept : '')).toBe(before);
    expect(await rebase(scene)).toMatchObject({ how: 'current' });
  });

  it('merges boxes of a task file that both sides ticked, side by side', async () => {
    const scene = await keepScene({ 'PRD.md': '- [ ] a\n- [ ] b\n' });
    scene.put('PRD.md', '- [ ] a\n- [x] b\n');
    scene.git('add', '-A');
    scene.git('commit', '-qm', 'Tick b');
    commitOnMain(scene, 'PRD.md', '- [x] a\n- [ ] b\n- [ ] c\n');
    expect(await rebase(scene)).toMatchObject({ how: 'merged' });
    expect(scene.git('show', 'HEAD:PRD.md')).toBe('- [x] a\n- [x] b\n- [ ] c');
  });

  it('merges where the commits do not come out the same one by one', async () => {
    const scene = await parted();
    scene.git('merge', '-q', '--no-commit', 'main');
    scene.put('one.txt', 'changed in the merge\n');
    scene.git('add', '-A');
    scene.git('commit', '-qm', 'Merge by hand');
    commitOnMain(scene, 'more.txt', 'more\n');
    expect(await rebase(scene)).toMatchObject({ how: 'merged' });
    expect(scene.git('show', 'HEAD:one.txt')).toBe('changed in the merge');
    expect(scene.git('show', 'HEAD:more.txt')).toBe('more');
  });

  it('changes nothing where it conflicts, or where somebody else is in the way', async () => {
    const clash = await parted('one.txt');
    const before = clash.git('rev-parse', 'HEAD');
    expect(await rebase(clash)).toEqual({ how: 'conflict', from: before, paths: ['one.txt'] });
    const dirty = await parted();
    dirty.put('mine.txt', 'mine\n');
    await expect(rebase(dirty)).rejects.toThrow(/uncommitted changes/);
    await expect(rebase(dirty, null), 'somebody stands on it').rejects.toThrow(/checked out/);
    expect(dirty.git('rev-parse', 'HEAD~2')).toBe(dirty.base);
    rmSync(join(dirty.path, 'mine.txt'));
    dirty.git('checkout', '-q', '--detach');
    await expect(rebase(dirty)).rejects.toThrow(/is not on/);
    expect(await rebase(dirty, null)).toMatchObject({ how: 'rebased' });
    expect(dirty.git('rev-parse', 'HEAD~2')).toBe(dirty.base);
  });
});

describe('push', () => {
  it('creates what is not there, moves only what is where it was left, and takes no name for anything else', async () => {
    const scene = await parted();
    const { repo } = scene.place;
    const place = { repo, env: process.env };
    const bare = join(scene.root, 'bare.git');
    scene.scratch.git('init', '-q', '--bare', bare);
    scene.scratch.git('remote', 'add', 'up', bare);
    const head = sha(scene.git('rev-parse', 'HEAD'));
    const older = sha(scene.git('rev-parse', 'HEAD~1'));
    const there = (): string => gitIn(bare, 'rev-parse', 'review');
    expect(await requireRemote(place, null)).toBe('up');
    await push(place, { remote: 'up', branch: 'review', commit: head, expected: null });
    expect(there()).toBe(head);
    await expect(push(place, { remote: 'up', branch: 'review', commit: older, expected: null })).rejects.toThrow(
      /not as it was/,
    );
    await push(place, { remote: 'up', branch: 'review', commit: older, expected: head });
    expect(there()).toBe(older);
    for (const remote of [bare, 'ext::sh -c true', '--all', ''])
      await expect(requireRemote(place, remote)).rejects.toThrow();
    for (const name of ['-f', 'a b', 'a..b', 'refs/heads/x', '', 'x\ny', 'x'.repeat(3) + '.lock'])
      await expect(requireBranchName(place, name)).rejects.toThrow(/no name for a branch/);
    expect(await requireBranchName(place, 'review/$(x);y')).toBe('review/$(x);y');
  });
});
