import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import type { Repository } from '../../../src/world/git/run/repository.ts';
import { listPool, retireWorktree, takeWorktree } from '../../../src/world/worktrees/worktree-pool.ts';
import { listWorktrees, worktreeMutex } from '../../../src/world/worktrees/worktrees.ts';
import { ownIdentity } from '../../../src/world/processes/identity.ts';
import { bundleChild, until } from '../bundled-child.ts';
import { type ScratchRepo, gitIn, scratchRepo } from '../scratch.ts';

let scratch: ScratchRepo;
let repo: Repository;
let root: string;
let base: Sha;
beforeEach(() => {
  scratch = scratchRepo({ files: { 'a.txt': 'a\n', 'src/b.txt': 'b\n', '.gitignore': 'node_modules/\n' } });
  repo = findRepository(scratch.dir);
  root = join(dirname(scratch.dir), 'trees');
  base = sha(scratch.git('rev-parse', 'HEAD'));
});
afterEach(() => scratch.remove());

const take = (branch: string, name = branch.replace('/', '-')) =>
  takeWorktree(repo, { worktreeRoot: root, branch, base, name });
const retire = (path: string) => retireWorktree(repo, { path, worktreeRoot: root });
const put = (path: string, content: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};

describe('takeWorktree and retireWorktree', () => {
  it('reuses a retired worktree: new base and branch, ignored files kept, all else gone', async () => {
    const first = await take('ralph/one');
    expect(first).toEqual({ path: join(root, 'ralph-one'), reused: false });
    put(join(first.path, 'node_modules/x.js'), 'slow to make');
    put(join(first.path, 'a.txt'), 'changed');
    put(join(first.path, 'new/file.txt'), 'new');
    rmSync(join(first.path, 'src/b.txt'));
    await retire(first.path);
    expect(listPool(repo)).toEqual([{ path: first.path, name: 'ralph-one' }]);
    scratch.write('later.txt', 'later\n');
    base = sha(scratch.commit());
    const second = await take('ralph/two');
    expect(second).toEqual({ path: first.path, reused: true });
    expect(gitIn(second.path, 'symbolic-ref', '--short', 'HEAD')).toBe('ralph/two');
    expect(gitIn(second.path, 'rev-parse', 'HEAD')).toBe(base);
    expect(gitIn(second.path, 'status', '--porcelain')).toBe('');
    expect(readdirSync(second.path).sort()).toEqual([
      '.git',
      '.gitignore',
      'a.txt',
      'later.txt',
      'node_modules',
      'src',
    ]);
    expect(readFileSync(join(second.path, 'a.txt'), 'utf8')).toBe('a\n');
    expect(listPool(repo)).toEqual([]);
    expect(scratch.git('rev-parse', 'ralph/one')).not.toBe('');
  });

  it('a second round of 8 at once makes no new worktree', async () => {
    const first = await Promise.all(Array.from({ length: 8 }, (_, at) => take(`ralph/first${at}`)));
    await Promise.all(first.map(({ path }) => retire(path)));
    const second = await Promise.all(Array.from({ length: 8 }, (_, at) => take(`ralph/second${at}`)));
    expect(second.every(({ reused }) => reused)).toBe(true);
    expect(new Set(second.map(({ path }) => path))).toEqual(new Set(first.map(({ path }) => path)));
    expect(await listWorktrees(repo)).toHaveLength(9);
  });

  it('two processes never get the same one', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, (_, at) => take(`ralph/first${at}`)));
    await Promise.all(made.map(({ path }) => retire(path)));
    const taker = await bundleChild(`
      import { findRepository } from 'src/world/git/run/repository.ts';
      import { takeWorktree } from 'src/world/worktrees/worktree-pool.ts';
      const [dir, worktreeRoot, base, prefix] = process.argv.slice(2);
      const repo = findRepository(dir);
      const taken = await Promise.all([0, 1, 2, 3, 4].map((at) => takeWorktree(repo, { worktreeRoot, base, branch: prefix + at, name: 'new' })));
      console.log(JSON.stringify(taken.map(({ path }) => path)));
    `);
    const outputs = await Promise.all(['p', 'q'].map((prefix) => taker.start(scratch.dir, root, base, prefix).output));
    taker.remove();
    const paths = outputs.flatMap((output) => JSON.parse(output) as string[]);
    expect(new Set(paths).size).toBe(10);
    expect(await listWorktrees(repo)).toHaveLength(11);
  });

  it('gets back what a dead process had claimed', async () => {
    const { path } = await take('ralph/one');
    await retire(path);
    scratch.write('later.txt', 'later\n');
    base = sha(scratch.commit());
    // It had moved the files already, and died before it made the branch.
    gitIn(path, 'checkout', '-q', '--detach', base);
    const pool = join(repo.stateDir, 'pool');
    const by = Buffer.from(JSON.stringify({ ...ownIdentity(), startTime: '1' })).toString('base64url');
    renameSync(join(pool, 'ralph-one.json'), join(pool, `ralph-one.${by}.claimed`));
    expect(listPool(repo)).toEqual([]);
    expect(await take('ralph/two')).toEqual({ path, reused: true });
    expect(readdirSync(pool)).toEqual([]);
  });

  it('makes its branch past the lock that a killed git left on it', async () => {
    const { path } = await take('ralph/one');
    await retire(path);
    const lock = join(repo.commonDir, 'refs/heads/ralph/two.lock');
    writeFileSync(lock, '');
    expect(await take('ralph/two')).toEqual({ path, reused: true });
    expect([existsSync(lock), gitIn(path, 'symbolic-ref', 'HEAD')]).toEqual([false, 'refs/heads/ralph/two']);
  });

  it('forgets what a dead process had claimed and handed on', async () => {
    const first = await take('ralph/one');
    await retire(first.path);
    const pool = join(repo.stateDir, 'pool');
    const entry = readFileSync(join(pool, 'ralph-one.json'));
    const again = await take('ralph/two');
    expect(again.path).toBe(first.path);
    const by = Buffer.from(JSON.stringify({ ...ownIdentity(), startTime: '1' })).toString('base64url');
    writeFileSync(join(pool, `ralph-one.${by}.claimed`), entry);
    expect(await take('ralph/two'), 'the answer that was not written down').toEqual(again);
    expect(readdirSync(pool)).toEqual([]);
  });

  it('case 3: ends the removal of one that a dead process began', async () => {
    const { path } = await take('ralph/one');
    await retire(path);
    const pool = join(repo.stateDir, 'pool');
    const by = Buffer.from(JSON.stringify({ ...ownIdentity(), startTime: '1' })).toString('base64url');
    renameSync(join(pool, 'ralph-one.json'), join(pool, `ralph-one.${by}.claimed`));
    rmSync(path, { recursive: true });
    expect(await take('ralph/two', 'fresh')).toEqual({ path: join(root, 'fresh'), reused: false });
    expect((await listWorktrees(repo)).map((one) => one.path)).not.toContain(path);
    expect(readdirSync(pool)).toEqual([]);
  });

  it('gives the same answer again when asked again', async () => {
    const first = await take('ralph/one');
    expect(await take('ralph/one')).toEqual({ path: first.path, reused: true });
    expect(await listWorktrees(repo)).toHaveLength(2);
  });

  it('case 8: picks another folder when the name is taken', async () => {
    put(join(root, 'ralph-one/mine.txt'), 'mine');
    expect((await take('ralph/one')).path).toBe(join(root, 'ralph-one-2'));
    expect(readFileSync(join(root, 'ralph-one/mine.txt'), 'utf8')).toBe('mine');
  });

  it('refuses a branch that is elsewhere and keeps the pool as it is', async () => {
    await retire((await take('ralph/one')).path);
    scratch.write('c.txt', 'c');
    scratch.git('branch', 'ralph/two', scratch.commit());
    await expect(take('ralph/two')).rejects.toMatchObject({
      code: 'E_GIT',
      message: expect.stringContaining('ralph/two') as string,
    });
    expect(listPool(repo)).toHaveLength(1);
  });

  const spoil: Record<string, (path: string) => void> = {
    'its folder is gone': (path) => rmSync(path, { recursive: true }),
    'somebody wrote into it': (path) => put(join(path, 'mine.txt'), 'mine'),
    'somebody committed in it': (path) =>
      void gitIn(path, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-q', '--allow-empty', '-m', 'mine'),
    'somebody checked out a branch in it': (path) => void gitIn(path, 'checkout', '-q', '-b', 'mine'),
    'git forgot it': (path) => void scratch.git('worktree', 'remove', '-f', '-f', path),
    'its entry is no json': () => put(join(repo.stateDir, 'pool/ralph-one.json'), '{'),
  };
  for (const [why, act] of Object.entries(spoil)) {
    it(`makes a new one and touches nothing when ${why}`, async () => {
      const { path } = await take('ralph/one');
      await retire(path);
      act(path);
      const before = existsSync(path)
        ? gitIn(path, 'status', '--porcelain', '--branch') + gitIn(path, 'rev-parse', 'HEAD')
        : null;
      const taken = await take('ralph/two', 'fresh');
      expect(taken).toEqual({ path: join(root, 'fresh'), reused: false });
      if (before !== null)
        expect(gitIn(path, 'status', '--porcelain', '--branch') + gitIn(path, 'rev-parse', 'HEAD')).toBe(before);
    });
  }

  it('makes a new one when ignored files stand where a new commit has a folder', async () => {
    scratch.write('.gitignore', 'out\n');
    base = sha(scratch.commit());
    const { path } = await take('ralph/one');
    put(join(path, 'out/deep/x'), 'ignored');
    await retire(path);
    scratch.write('.gitignore', '');
    scratch.write('out', 'now a file\n');
    base = sha(scratch.commit());
    const taken = await take('ralph/two', 'fresh');
    expect(readFileSync(join(taken.path, 'out'), 'utf8')).toBe('now a file\n');
    expect(gitIn(taken.path, 'status', '--porcelain')).toBe('');
  });
});

describe('retireWorktree', () => {
  it('clears the locks of the dead and brings back files hidden from git status', async () => {
    const { path } = await take('ralph/one');
    const adminDir = gitIn(path, 'rev-parse', '--absolute-git-dir');
    gitIn(path, 'update-index', '--assume-unchanged', 'a.txt');
    gitIn(path, 'update-index', '--skip-worktree', 'src/b.txt');
    put(join(path, 'a.txt'), 'hidden');
    put(join(path, 'src/b.txt'), 'hidden');
    put(join(adminDir, 'index.lock'), '');
    await retire(path);
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('a\n');
    expect(readFileSync(join(path, 'src/b.txt'), 'utf8')).toBe('b\n');
    expect(
      gitIn(path, 'ls-files', '-v')
        .split('\n')
        .every((line) => line.startsWith('H ')),
    ).toBe(true);
  });

  const odd: Record<string, (path: string) => void> = {
    'a merge is half done': (path) =>
      put(join(gitIn(path, 'rev-parse', '--absolute-git-dir'), 'MERGE_HEAD'), `${base}\n`),
    'it holds another repository': (path) => {
      mkdirSync(join(path, 'inner'));
      gitIn(join(path, 'inner'), 'init', '-q');
    },
    'its .git is a folder': (path) => {
      rmSync(join(path, '.git'));
      gitIn(path, 'init', '-q');
    },
  };
  for (const [why, act] of Object.entries(odd)) {
    it(`removes nothing and refuses when ${why}`, async () => {
      const { path } = await take('ralph/one');
      put(join(path, 'mine.txt'), 'mine');
      act(path);
      await expect(retire(path)).rejects.toMatchObject({ name: 'AppError' });
      expect(readFileSync(join(path, 'mine.txt'), 'utf8')).toBe('mine');
      expect(listPool(repo)).toEqual([]);
    });
  }

  it('refuses a folder that is not below the root', async () => {
    const { path } = await take('ralph/one');
    await expect(retireWorktree(repo, { path, worktreeRoot: join(root, 'elsewhere') })).rejects.toThrow('not below');
    await expect(retireWorktree(repo, { path: scratch.dir, worktreeRoot: dirname(scratch.dir) })).rejects.toMatchObject(
      { code: 'E_REPOSITORY_BROKEN' },
    );
  });
});

it('what a dead process had begun to remove is not removed once more from somebody who works there by now', async () => {
  const { path } = await take('ralph/one');
  await retire(path);
  const pool = join(repo.stateDir, 'pool');
  const dead = Buffer.from(JSON.stringify({ ...ownIdentity(), startTime: '1' })).toString('base64url');
  renameSync(join(pool, 'ralph-one.json'), join(pool, `ralph-one.${dead}.claimed`));
  rmSync(path, { recursive: true });
  const lock = worktreeMutex(repo);
  writeFileSync(lock, JSON.stringify({ ...ownIdentity(), nonce: 'x' }));
  const second = take('ralph/two');
  const isWaiting = (): boolean => readdirSync(dirname(lock)).some((name) => name.startsWith('worktrees.tmp-'));
  await until('the second waits to remove the entry', isWaiting);
  // Another process was faster, and has given the place to a loop.
  scratch.git('worktree', 'remove', '-f', '-f', path);
  scratch.git('worktree', 'add', '-q', '--lock', '-b', 'ralph/three', path);
  rmSync(lock);
  expect((await second).path).not.toBe(path);
  expect(existsSync(join(path, 'a.txt'))).toBe(true);
  expect(gitIn(path, 'symbolic-ref', '--short', 'HEAD')).toBe('ralph/three');
});
