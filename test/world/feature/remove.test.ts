import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import { EMPTY_STATE } from '../../../src/core/model/model.ts';
import { cleanFeatures, removeFeature } from '../../../src/world/feature/remove-feature.ts';
import { writeFeatureNote, REMOVING } from '../../../src/world/worktrees/feature-note.ts';
import { adminDirOf } from '../../../src/world/git/files/worktree-admin.ts';
import { LOCK_REASON, writeLoopNote } from '../../../src/world/worktrees/loop-notes.ts';
import { addWorktree } from '../../../src/world/worktrees/worktrees.ts';
import { listKeeps } from '../../../src/world/keep/list-keeps.ts';
import { restoreWorktree } from '../../../src/world/keep/restore-worktree.ts';
import { openKeep } from '../../../src/world/keep/take-away.ts';
import { bringBack, lastTaken, markUndone, whyNotBack } from '../../../src/world/keep/undo.ts';
import { isHeld, takeLoopLock } from '../../../src/world/checkout/loop-lock.ts';
import { SETTINGS, featureScene } from './scene.ts';
import { portrait } from '../keep/keep-scene.ts';
import { gitIn } from '../scratch.ts';
import type { RemovedFeature } from '../../../src/world/feature/remove-feature.ts';
import type { FeatureScene } from './scene.ts';

let scene: FeatureScene;
beforeEach(() => {
  scene = featureScene({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': '.env\n' } });
});
afterEach(() => scene.scratch.remove());

const remove = async (name: string, options: { force?: boolean; keepBranch?: boolean } = {}): Promise<RemovedFeature> =>
  removeFeature(scene.repo, {
    target: await scene.status(name),
    force: options.force ?? false,
    keepBranch: options.keepBranch ?? false,
    settings: SETTINGS,
  });

function commitIn(path: string, file: string, text = file): string {
  writeFileSync(join(path, file), text);
  gitIn(path, 'add', '-A');
  gitIn(path, '-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '-q', '-m', file);
  return gitIn(path, 'rev-parse', 'HEAD');
}

describe('listFeatures', () => {
  it('is true of every kind of change, with and without an upstream', async () => {
    const { scratch, repo } = scene;
    const { path } = await scene.make('one');
    scratch.git('worktree', 'add', '-q', '-b', 'mine', join(scene.home, 'mine'));
    await addWorktree(repo, {
      path: join(scratch.dir, '.ralph/worktrees/wt'),
      branch: 'ralph/x',
      base: sha(scratch.git('rev-parse', 'main')),
      reason: LOCK_REASON,
    });
    expect((await scene.list()).map(({ name, ours, isMain }) => [name, ours, isMain])).toEqual([
      ['repo', 'yours', true],
      ['mine', 'yours', false],
      ['one', 'feature', false],
      ['wt', 'loop', false],
    ]);
    commitIn(path, 'mine.txt');
    scratch.write('theirs.txt', 'x');
    scratch.commit();
    writeFileSync(join(path, 'staged.txt'), 's');
    gitIn(path, 'add', 'staged.txt');
    writeFileSync(join(path, 'a.txt'), 'changed');
    writeFileSync(join(path, 'new name.txt'), 'n');
    expect(await scene.status('one')).toMatchObject({
      branch: 'feature/one',
      changes: { staged: 1, unstaged: 1, untracked: 1, conflicts: 0, text: '1 staged, 1 unstaged, 1 untracked' },
      target: { name: 'main', ahead: 1, behind: 1 },
      upstream: null,
      unlanded: 1,
      missing: false,
      operation: null,
    });
    scratch.git('update-ref', 'refs/remotes/origin/feature/one', 'main~1');
    scratch.git('config', 'remote.origin.url', scratch.dir);
    scratch.git('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
    scratch.git('branch', '-q', '--set-upstream-to=origin/feature/one', 'feature/one');
    expect((await scene.status('one')).upstream).toEqual({
      name: 'origin/feature/one',
      ahead: 1,
      behind: 0,
      isGone: false,
    });
    rmSync(join(scene.home, 'mine'), { recursive: true });
    expect(await scene.status('mine')).toMatchObject({ missing: true, changes: null });
  });

  it('counts conflicts, and takes work that landed in another form for landed', async () => {
    const { scratch } = scene;
    const { path } = await scene.make('one');
    commitIn(path, 'a.txt', 'ours');
    commitIn(path, 'c.txt', 'c');
    scratch.git('merge', '-q', '--squash', 'feature/one');
    scratch.commit('Squashed');
    scratch.write('b.txt', 'went on');
    scratch.commit();
    expect(await scene.status('one')).toMatchObject({ unlanded: 0, target: { ahead: 2, behind: 2 } });
    scratch.write('a.txt', 'other');
    scratch.commit();
    expect((await scene.status('one')).unlanded).toBe(2);
    expect(() => gitIn(path, '-c', 'user.name=A', '-c', 'user.email=a@b.c', 'merge', '-q', 'main')).toThrow();
    expect(await scene.status('one')).toMatchObject({ operation: 'merge', changes: { conflicts: 1 } });
  });
});

describe('removeFeature', () => {
  it('refuses what is dirty or unlanded; with force everything comes back as it was', async () => {
    const { repo, scratch } = scene;
    const { path } = await scene.make('one');
    const tip = commitIn(path, 'mine.txt');
    writeFileSync(join(path, 'a.txt'), 'staged');
    gitIn(path, 'add', 'a.txt');
    writeFileSync(join(path, 'b.txt'), 'unstaged');
    writeFileSync(join(path, 'new.txt'), 'new');
    writeFileSync(join(path, '.env'), 'SECRET=1', { mode: 0o600 });
    await expect(remove('one')).rejects.toMatchObject({
      code: 'E_UNLANDED',
      message: 'one holds work: uncommitted files (1 staged, 1 unstaged, 1 untracked), 1 commit that has not landed',
      remedy: 'ralph worktree remove one --force',
    });
    const before = portrait(path);
    const removed = await remove('one', { force: true });
    expect(removed).toMatchObject({ path, branch: 'feature/one', branchGone: true, files: 4 });
    expect(removed.restore).toBe(`ralph keep restore ${removed.kept ?? ''} --branch feature/one --worktree ${path}`);
    expect([existsSync(path), adminDirOf(repo, path)]).toEqual([false, null]);
    expect(scratch.git('branch', '--list', 'feature/*')).toBe('');

    const place = await openKeep(repo, SETTINGS);
    const keep = (await listKeeps(place.view)).find((one) => one.id === removed.kept);
    if (keep === undefined) throw new Error('not kept');
    scratch.git('branch', 'feature/one', tip);
    await restoreWorktree(place, keep, { path, branch: 'feature/one', lock: null, head: sha(tip) });
    expect(portrait(path)).toEqual(before);
    expect(statSync(join(path, '.env')).mode & 0o777, 'a secret is not for others to read').toBe(0o600);
  });

  it('takes what has landed, and keeps a branch that is not its own or is wanted', async () => {
    const { scratch, repo } = scene;
    const one = await scene.make('one');
    commitIn(one.path, 'mine.txt');
    scratch.git('merge', '-q', '--ff-only', 'feature/one');
    expect(await remove('one')).toMatchObject({ branchGone: true });
    const two = await scene.make('two');
    expect(two.portBase).toBe(one.portBase);
    expect(await remove('two', { keepBranch: true })).toMatchObject({ branchGone: false });
    // A branch that was there before stays when its worktree goes.
    scratch.git('branch', 'feature/there');
    await scene.make('there');
    expect(await remove('there')).toMatchObject({ branch: 'feature/there', branchGone: false });
    const three = await scene.make('three');
    gitIn(three.path, 'checkout', '-q', '-b', 'another');
    expect(await remove('three')).toMatchObject({ branch: 'another', branchGone: false });
    expect(scratch.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/').split('\n').sort()).toEqual([
      'another',
      'feature/there',
      'feature/three',
      'feature/two',
      'main',
    ]);
    // One that was removed by hand is only forgotten; its branch was never asked about.
    const four = await scene.make('four');
    rmSync(four.path, { recursive: true });
    expect(await remove('four')).toMatchObject({ path: four.path });
    expect(adminDirOf(repo, four.path)).toBe(null);
  });

  it('refuses the main checkout, a loop’s, a locked one, one where an agent works, and a repository inside', async () => {
    const { scratch, repo } = scene;
    await expect(remove('repo', { force: true })).rejects.toMatchObject({ code: 'E_NEEDS_PERSON' });
    const loops = join(scratch.dir, '.ralph/worktrees/wt');
    const base = sha(scratch.git('rev-parse', 'main'));
    await addWorktree(repo, { path: loops, branch: 'ralph/x', base, reason: LOCK_REASON });
    writeLoopNote(repo, loops, { loop: 'x-ab12', task: 'x', title: 'X', attempt: 1, branch: 'ralph/x', base } as never);
    await expect(remove('x-ab12', { force: true })).rejects.toMatchObject({ remedy: 'ralph loops discard x-ab12' });
    const { path } = await scene.make('one');
    scratch.git('worktree', 'lock', '--reason', 'mine', path);
    await expect(remove('one', { force: true })).rejects.toMatchObject({
      remedy: `git -C ${scratch.dir} worktree unlock ${path}`,
    });
    scratch.git('worktree', 'unlock', path);
    const env = { ...process.env, RALPH_TOKEN: 'tok-feature', RALPH_LOOP_ID: 'x-ab12' };
    const agent = spawn('sleep', ['60'], { cwd: path, env });
    await expect(remove('one', { force: true })).rejects.toMatchObject({
      code: 'E_BUSY',
      remedy: 'ralph loops stop x-ab12',
    });
    agent.kill('SIGKILL');
    await new Promise((resolve) => agent.on('close', resolve));
    const held = await takeLoopLock(repo, path, { loop: 'y-cd34', prompt: 'work' });
    await expect(remove('one', { force: true })).rejects.toMatchObject({ remedy: 'ralph loops stop y-cd34' });
    if (isHeld(held)) await held.release();
    rmSync(join(path, '.ralph'), { recursive: true });
    mkdirSync(join(path, 'inner'));
    gitIn(join(path, 'inner'), 'init', '-q');
    await expect(remove('one', { force: true })).rejects.toMatchObject({ code: 'E_NEEDS_PERSON' });
    expect(existsSync(join(path, 'inner/.git'))).toBe(true);
    rmSync(join(path, 'inner'), { recursive: true });
    expect(await remove('one')).toMatchObject({ path });
  });

  it('can be taken back, the newest first, unless the place is taken by then', async () => {
    const { repo, scratch } = scene;
    const place = await openKeep(repo, SETTINGS);
    const last = async (): Promise<readonly (string | null)[]> =>
      (await lastTaken(place, EMPTY_STATE)).map((keep) => keep.path);
    const [one, two] = [await scene.make('one'), await scene.make('two')];
    commitIn(one.path, 'mine.txt');
    writeFileSync(join(one.path, 'a.txt'), 'changed');
    const before = portrait(one.path);
    await remove('one', { force: true });
    await remove('two');
    expect(await last()).toEqual([two.path]);
    // Back by other means: it stands, so there is nothing to take back.
    scratch.git('worktree', 'add', '-q', '-b', 'feature/two', two.path);
    expect(await last()).toEqual([one.path]);
    // Made anew, it is another one.
    await scene.make('one');
    const [keep] = await lastTaken(place, EMPTY_STATE);
    if (keep === undefined) throw new Error('nothing was taken');
    const other = 'there is a branch feature/one with other commits';
    expect([keep.path, await whyNotBack(place, keep)]).toEqual([one.path, other]);
    scratch.git('worktree', 'remove', '--force', one.path);
    scratch.git('branch', '-q', '-D', 'feature/one');
    expect(await whyNotBack(place, keep)).toBe(null);
    await bringBack(place, keep);
    expect([portrait(one.path), (await scene.status('one')).locked]).toEqual([before, null]);
    await markUndone(place, keep);
    expect(await last()).toEqual([]);
    // A ref says what it likes: without our own note of it no folder is made from it.
    const forged = scratch
      .git('log', '-1', '--format=%B', keep.ref)
      .replaceAll(one.path, join(scene.home, 'elsewhere'));
    const commit = scratch.git('commit-tree', '-m', forged, `${keep.ref}^{tree}`);
    scratch.git('update-ref', `refs/paralph/keep/one/${commit.slice(0, 12)}`, commit);
    expect(await last()).toEqual([]);
  });

  it('goes on where a killed one stopped', async () => {
    const { scratch, repo } = scene;
    const { path } = await scene.make('one');
    commitIn(path, 'mine.txt');
    writeFileSync(join(path, 'new.txt'), 'new');
    const kept = await remove('one', { force: true });
    // As if it had been killed after the folder went: git's entry and the branch are still there.
    const place = await openKeep(repo, SETTINGS);
    const keep = (await listKeeps(place.view)).find((one) => one.id === kept.kept);
    scratch.git('branch', 'feature/one', keep?.tip ?? '');
    scratch.git('worktree', 'add', '-q', '--lock', '--reason', REMOVING, path, 'feature/one');
    rmSync(path, { recursive: true });
    const note = { name: 'one', branch: 'feature/one', base: keep?.tip ?? '', isOurs: true, ownsBranch: true };
    const adminDir = adminDirOf(repo, path) ?? '';
    writeFeatureNote(adminDir, { ...note, isDone: true, portBase: 20_000, portStep: 10, carried: [] });
    const again = await remove('one', { force: true });
    expect(again).toMatchObject({ kept: kept.kept, branchGone: true });
    expect(adminDirOf(repo, path)).toBe(null);
  });
});

it('cleanFeatures takes what has landed, and says why the rest stays', async () => {
  const { scratch, repo } = scene;
  const names = ['done', 'fresh', 'dirty', 'ahead', 'busy'];
  for (const name of names) await scene.make(name);
  scratch.git('worktree', 'add', '-q', '-b', 'mine', join(scene.home, 'mine'));
  const at = (name: string): string => join(scene.home, 'worktrees', name);
  for (const name of ['done', 'busy', 'dirty']) {
    commitIn(at(name), `${name}.txt`);
    scratch.git('merge', '-q', '--no-edit', `feature/${name}`);
  }
  commitIn(at('ahead'), 'ahead.txt');
  writeFileSync(join(at('dirty'), 'new.txt'), 'new');
  const busy = spawn('sleep', ['60'], { cwd: at('busy') });
  const dry = await cleanFeatures(repo, { settings: SETTINGS, isDryRun: true });
  expect(dry.removed.map((one) => one.name)).toEqual(['done']);
  expect(existsSync(at('done'))).toBe(true);
  const { removed, stays } = await cleanFeatures(repo, { settings: SETTINGS, isDryRun: false });
  busy.kill('SIGKILL');
  expect(removed.map((one) => one.name)).toEqual(['done']);
  expect(stays.map(({ name, why }) => [name, why.replace(/\(\d+\)/, '(PID)')])).toEqual([
    ['ahead', 'it holds 1 commit that has not landed'],
    ['busy', 'a process works in it (PID)'],
    ['dirty', 'it holds uncommitted files (1 untracked)'],
    ['fresh', 'nothing was committed in it yet; to remove it: ralph worktree remove fresh'],
  ]);
  expect([existsSync(at('done')), existsSync(join(scene.home, 'mine'))]).toEqual([false, true]);
  const taken = await lastTaken(await openKeep(repo, SETTINGS), EMPTY_STATE);
  expect(taken.map(({ path, together }) => [path, typeof together])).toEqual([[at('done'), 'string']]);
  expect(readFileSync(join(scratch.dir, 'done.txt'), 'utf8')).toBe('done.txt');
});
