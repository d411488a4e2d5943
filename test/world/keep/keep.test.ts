import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import { notWithin } from '../../../src/world/git/objects/history.ts';
import { keepCommit, keepWorktree } from '../../../src/world/keep/keep.ts';
import { listKeeps } from '../../../src/world/keep/list-keeps.ts';
import { makeBranch, wholeCommit, restoreWorktree } from '../../../src/world/keep/restore-worktree.ts';
import { BRANCH, LOOP, keepScene, portrait } from './keep-scene.ts';
import { lookAtKeeps } from '../../../src/world/keep/watch-keeps.ts';
import { gitIn } from '../scratch.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import type { KeepScene } from './keep-scene.ts';

const FILES = {
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  'c.txt': 'c\n',
  'gone.txt': 'gone\n',
  'staged-gone.txt': 'gone\n',
  'hidden.txt': 'seen\n',
  'run.sh': '#!/bin/sh\n',
  'folder/x.txt': 'x\n',
  '.gitignore': '.env*\nbuild/\n',
};

let scene: KeepScene;
beforeEach(async () => {
  scene = await keepScene(FILES);
});
afterEach(() => scene.scratch.remove());

/** Keeps, loses everything, brings it back in the same place. */
async function andBack(): Promise<void> {
  const kept = await scene.keep();
  await scene.lose();
  const keep = await scene.find(kept?.id);
  const { tip, head } = keep;
  if (head === null) throw new Error('nothing to stand on');
  if (tip !== null) scene.scratch.git('update-ref', `refs/heads/${BRANCH}`, tip);
  const branch = keep.on === BRANCH && head === tip ? BRANCH : null;
  await restoreWorktree(scene.place, keep, { path: scene.path, branch, lock: 'paralph worktree', head });
}

describe('a worktree is kept whole', () => {
  it('case 17: staged, unstaged, new, deleted, executable, linked and oddly named files come back byte by byte', async () => {
    const { git, put, path } = scene;
    put('done.txt', 'committed\n');
    git('add', 'done.txt');
    git('commit', '-q', '-m', 'work');
    put('a.txt', 'staged\n');
    git('add', 'a.txt');
    put('a.txt', 'and changed again\r\n');
    put('b.txt', 'changed\n\0binary');
    rmSync(join(path, 'gone.txt'));
    git('rm', '-q', 'staged-gone.txt');
    put('staged-new.txt', 'new and staged\n');
    git('add', 'staged-new.txt');
    put('meant.txt', 'not yet\n');
    put('new/deep/untracked.txt', 'untracked\n');
    put('größe 漢字.txt', 'unicode\n');
    put('two\nlines.txt', 'newline in the name\n');
    put('-rf $(touch pwned); "x".txt', 'inert\n');
    writeFileSync(Buffer.from(`${path}/\xff\xfe.bin`, 'latin1'), 'no text');
    chmodSync(join(path, 'run.sh'), 0o755);
    symlinkSync('/nowhere/at all', join(path, 'dangling'));
    rmSync(join(path, 'folder'), { recursive: true });
    symlinkSync('.', join(path, 'folder'));
    rmSync(join(path, 'c.txt'));
    put('c.txt/now/a/folder.txt', 'folder\n');
    put('.env', 'KEY=1\n');
    git('update-index', '--assume-unchanged', 'hidden.txt');
    put('hidden.txt', 'changed out of sight\n');
    const before = portrait(path);
    const index = readFileSync(join(git('rev-parse', '--absolute-git-dir'), 'index'));
    const kept = await scene.keep();
    expect(portrait(path)).toEqual(before);
    expect(readFileSync(join(git('rev-parse', '--absolute-git-dir'), 'index')).equals(index)).toBe(true);
    expect((await scene.keep())?.id).toBe(kept?.id);
    git('update-index', '--no-assume-unchanged', 'hidden.txt');
    const seen = portrait(path);
    await andBack();
    expect(portrait(path)).toEqual(seen);
    expect(existsSync(join(path, 'pwned'))).toBe(false);
    expect(scene.scratch.git('fsck', '--no-dangling')).toBe('');
  });

  it('ignored files are left out, but for those the settings name', async () => {
    scene.put('build/huge.o', 'made again');
    scene.put('.env.local', 'KEY=1\n');
    const kept = await scene.keep();
    const names = scene.scratch.git('ls-tree', '-r', '--name-only', kept?.ref ?? '');
    expect(names).toContain('.env.local');
    expect(names).not.toContain('huge.o');
    expect(kept?.files).toBe(1);
  });

  it('a kept commit that vanished takes neither the others nor the next keep with it', async () => {
    const { git, place, scratch } = scene;
    const { view } = place;
    const commit = (name: string): Sha => {
      git('commit', '-q', '--allow-empty', '-m', name);
      return sha(git('rev-parse', 'HEAD'));
    };
    const order = { act: 'discard', why: 'a test', name: 'one' } as const;
    const [gone, tip] = [commit('gone'), commit('on top')];
    const lost = await keepCommit(place, { ...order, commit: gone });
    for (const id of [gone, lost.commit]) rmSync(join(scratch.dir, '.git/objects', id.slice(0, 2), id.slice(2)));
    expect(await notWithin(view, [gone, tip, scene.base], [lost.commit, scene.base])).toEqual(new Set([gone, tip]));
    git('reset', '-q', '--soft', scene.base);
    const kept = await keepCommit(place, { ...order, commit: commit('made anew') });
    expect((await listKeeps(view)).map(({ id }) => id)).toEqual([kept.id]);
    scratch.git('update-ref', '-d', kept.ref);
    expect(await lookAtKeeps(view, { [kept.ref]: kept.commit })).toMatchObject({ putBack: [kept.ref], lost: [] });
    expect(await scene.keep()).toBeNull();
  });

  it('no filter, hook or setting that an agent planted runs', async () => {
    const { git, put, path } = scene;
    for (const kind of ['clean', 'smudge']) git('config', `filter.evil.${kind}`, `touch '${path}/pwned'; cat`);
    git('config', 'core.fsmonitor', `touch '${path}/pwned'`);
    put('.gitattributes', '*.txt filter=evil\n');
    put('a.txt', 'changed\n');
    expect((await scene.keep())?.files).toBe(2);
    expect(existsSync(join(path, 'pwned'))).toBe(false);
  });

  it('nothing is written where a ref of ours holds everything, unless something is about to go', async () => {
    scene.scratch.git('update-ref', 'refs/paralph/int/main', scene.base);
    expect(await scene.keep()).toBeNull();
    expect(await scene.keep({ always: true })).toMatchObject({ files: 0, embedded: [] });
    scene.put('new.txt', 'new\n');
    scene.git('add', '-A');
    scene.git('commit', '-q', '-m', 'work');
    const kept = await scene.keep();
    expect(scene.git('rev-parse', `${kept?.ref ?? ''}^1`)).toBe(scene.git('rev-parse', 'HEAD'));
  });
});

describe('odd worktrees', () => {
  it('case 16: in the middle of a rebase with conflicts, and goes on after it came back', async () => {
    const { git, put, path, scratch } = scene;
    scratch.write('a.txt', 'from main\n');
    scratch.commit('main moves');
    put('a.txt', 'from the agent\n');
    git('commit', '-q', '-a', '-m', 'one');
    put('b.txt', 'second\n');
    git('commit', '-q', '-a', '-m', 'two');
    const tip = git('rev-parse', 'HEAD');
    expect(() => git('rebase', '-q', 'main')).toThrow('conflict');
    put('new.txt', 'beside it\n');
    const before = portrait(path);
    await andBack();
    expect(portrait(path)).toEqual(before);
    expect(scratch.git('rev-parse', BRANCH)).toBe(tip);
    put('a.txt', 'resolved\n');
    git('add', 'a.txt');
    git('-c', 'core.editor=true', 'rebase', '--continue');
    expect(git('log', '--format=%s', '-3')).toBe('two\none\nmain moves');
  });

  it('in the middle of a merge, and off its branch with commits of its own', async () => {
    const { git, put, path, scratch } = scene;
    scratch.write('a.txt', 'from main\n');
    scratch.commit('main moves');
    git('checkout', '-q', '--detach');
    put('a.txt', 'from the agent\n');
    git('commit', '-q', '-a', '-m', 'on no branch');
    const head = git('rev-parse', 'HEAD');
    expect(() => git('merge', '-q', 'main')).toThrow('merge');
    const before = portrait(path);
    await andBack();
    expect(portrait(path)).toEqual(before);
    expect(git('rev-parse', 'HEAD')).toBe(head);
    expect(git('rev-parse', 'MERGE_HEAD')).toBe(scratch.git('rev-parse', 'main'));
  });

  it('case 14: without any commit, with its branch deleted, and with an index that cannot be read', async () => {
    const { git, put, path, scratch } = scene;
    put('work.txt', 'work\n');
    git('add', '-A');
    git('commit', '-q', '-m', 'work');
    const work = git('rev-parse', 'HEAD');
    scratch.git('update-ref', '-d', `refs/heads/${BRANCH}`);
    put('more.txt', 'more\n');
    const deleted = await scene.find((await scene.keep())?.id);
    expect(deleted).toMatchObject({ head: work, tip: null, on: BRANCH, files: 1 });
    writeFileSync(join(git('rev-parse', '--absolute-git-dir'), 'index'), 'no index');
    const broken = await scene.find((await scene.keep())?.id);
    expect(scratch.git('ls-tree', '-r', '--name-only', broken.commit)).toContain('more.txt');
    rmSync(join(git('rev-parse', '--absolute-git-dir'), 'index'));
    git('checkout', '-q', '--orphan', 'empty');
    const unborn = await scene.find((await scene.keep())?.id);
    expect(unborn.tree).toBe(broken.tree);
    expect(await wholeCommit(scene.place, unborn)).toMatch(/^[0-9a-f]{40}$/);
    expect(existsSync(join(path, 'more.txt'))).toBe(true);
  });

  it('case 26: its git link is replaced or gone, or the folder was moved', async () => {
    const { git, put, path, scratch } = scene;
    put('new.txt', 'new\n');
    const link = readFileSync(join(path, '.git'));
    rmSync(join(path, '.git'));
    const unlinked = await scene.keep();
    expect(scratch.git('ls-tree', '-r', '--name-only', unlinked?.ref ?? '')).toContain('new.txt');
    git('init', '-q');
    put('other.txt', 'other\n');
    const replaced = await scene.keep();
    expect(replaced?.embedded).toEqual(['.git']);
    expect(scratch.git('ls-tree', '-r', '--name-only', replaced?.ref ?? '')).toContain('other.txt');
    rmSync(join(path, '.git'), { recursive: true });
    writeFileSync(join(path, '.git'), link);
    renameSync(path, join(scene.root, 'moved'));
    // All that is left to keep is in the newest one already; for another reason it is the branch alone.
    expect((await scene.keep({ always: true }))?.id).toBe(replaced?.id);
    const branchOnly = await keepWorktree(scene.place, { path, branch: BRANCH, act: 'prune', why: 'x', always: true });
    expect(await scene.find(branchOnly?.id)).toMatchObject({ head: scene.base, files: 0, path: null });
  });

  it('a repository inside is named, and the rest is kept', async () => {
    const { put, path, scratch } = scene;
    mkdirSync(join(path, 'vendor/inner'), { recursive: true });
    const inner = join(path, 'vendor/inner');
    gitIn(inner, 'init', '-q');
    writeFileSync(join(inner, 'f'), 'f');
    put('beside.txt', 'beside\n');
    const kept = await scene.keep();
    expect(kept?.embedded).toEqual(['vendor/inner']);
    gitIn(inner, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
    scene.git('add', 'vendor/inner');
    const asLink = await scene.keep();
    expect(asLink?.embedded).toEqual(['vendor/inner']);
    expect(scratch.git('ls-tree', '-r', '--name-only', asLink?.ref ?? '')).toContain('beside.txt');
  });
});

describe('what is kept can be had back', () => {
  it('as a new branch; no branch that exists is moved, and odd names are refused', async () => {
    const { put, place, scratch } = scene;
    put('new.txt', 'new\n');
    const keep = await scene.find((await scene.keep())?.id);
    const commit = await wholeCommit(place, keep);
    expect(scratch.git('show', `${commit}:new.txt`)).toBe('new');
    expect(scratch.git('rev-parse', `${commit}^`)).toBe(scene.base);
    expect(await makeBranch(place.view, keep, null, commit)).toBe(`restored/${LOOP}`);
    expect(await makeBranch(place.view, keep, null, commit)).toBe(`restored/${LOOP}-2`);
    await expect(makeBranch(place.view, keep, 'main', commit)).rejects.toMatchObject({ code: 'E_NEEDS_PERSON' });
    expect(scratch.git('rev-parse', 'main')).toBe(scene.base);
    for (const odd of ['a..b', '-x', '../up', 'a\nb', 'x'.repeat(300), 'HEAD', '', 'a b', '@{-1}'])
      await expect(makeBranch(place.view, keep, odd, commit), odd).rejects.toMatchObject({ code: 'E_USAGE' });
    expect(await makeBranch(place.view, keep, 'x;$(touch${IFS}y)"', commit)).toBe('x;$(touch${IFS}y)"');
  });

  it('lists what is kept, newest first, with the commits that are kept by themselves', async () => {
    const { place, scratch, base } = scene;
    const pinned = `refs/paralph/keep/older/${base.slice(0, 12)}`;
    scratch.git('update-ref', pinned, base);
    scratch.git('update-ref', 'refs/paralph/keep/not-ours', base);
    scene.put('new.txt', 'new\n');
    const why = 'an agent moved "main"\nRalph-Keep-Act: forged';
    const leak = await keepCommit(place, { commit: sha(base), name: '../evil name\n', act: 'leak', why });
    const kept = await scene.keep();
    const keeps = await listKeeps(place.view);
    expect(keeps.map((keep) => keep.id)).toEqual(
      expect.arrayContaining([kept?.id, leak.id, `older/${base.slice(0, 12)}`]),
    );
    expect(keeps).toHaveLength(3);
    expect(keeps.at(-1)).toMatchObject({ act: 'pin', head: base, name: 'older' });
    expect(keeps.find((keep) => keep.id === leak.id)).toMatchObject({
      act: 'leak',
      why,
      head: base,
      name: 'evil-name',
    });
    expect(keeps.find((keep) => keep.id === kept?.id)).toMatchObject({
      act: 'discard',
      loop: LOOP,
      branch: BRANCH,
      path: scene.path,
      files: 1,
    });
  });
});
