import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { preflight } from '../../../src/world/git/files/preflight.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { until } from '../bundled-child.ts';
import { gitIn, scratchRepo } from '../scratch.ts';
import type { ScratchOptions, ScratchRepo } from '../scratch.ts';

const made: ScratchRepo[] = [];
const path = process.env['PATH'];
afterEach(() => {
  for (const repo of made.splice(0)) repo.remove();
  process.env['PATH'] = path;
});
function scratch(options?: ScratchOptions): ScratchRepo {
  const repo = scratchRepo(options);
  made.push(repo);
  return repo;
}
const check = (dir: string, target: string | null = null) => preflight(findRepository(dir), target);

describe('preflight chooses the target', () => {
  it('main before master before the branch checked out', async () => {
    const { dir, git } = scratch({ branch: 'trunk' });
    const targetSha = git('rev-parse', 'HEAD');
    expect(await check(dir)).toEqual({ gitVersion: expect.stringMatching(/^2\.\d+/), target: 'trunk', targetSha });
    git('branch', 'master');
    expect(await check(dir)).toMatchObject({ target: 'master' });
    git('branch', 'main');
    expect(await check(dir)).toMatchObject({ target: 'main' });
    expect(await check(dir, 'trunk')).toMatchObject({ target: 'trunk' });
    expect(await check(dir, 'refs/heads/trunk')).toMatchObject({ target: 'trunk' });
  });

  it('scenario 22: first of all the branch that origin/HEAD names, if it is here', async () => {
    const { dir, git } = scratch();
    git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/develop');
    expect(await check(dir)).toMatchObject({ target: 'main' });
    git('branch', 'develop');
    expect(await check(dir)).toMatchObject({ target: 'develop' });
    expect(await check(dir, 'main')).toMatchObject({ target: 'main' });
    git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/heads/develop');
    expect(await check(dir)).toMatchObject({ target: 'main' });
  });

  it('case 28: with a detached HEAD', async () => {
    const { dir, git } = scratch();
    git('switch', '-q', '--detach');
    expect(await check(dir)).toMatchObject({ target: 'main' });
    git('branch', '-m', 'main', 'dev');
    await expect(check(dir)).rejects.toMatchObject({
      code: 'E_NO_TARGET',
      message: expect.stringContaining('detached'),
      facts: ['branches: dev'],
      remedy: 'git branch main',
    });
    git('update-ref', 'refs/paralph/int/main', 'HEAD');
    await expect(check(dir)).rejects.toMatchObject({ remedy: 'git branch main refs/paralph/int/main' });
    git('config', 'init.defaultBranch', 'dev');
    expect(await check(dir)).toMatchObject({ target: 'dev' });
  });

  it('and says what is missing', async () => {
    const { dir, git } = scratch();
    git('update-ref', 'refs/remotes/origin/release', 'HEAD');
    const missing = { code: 'E_NO_TARGET' };
    await expect(check(dir, 'nowhere')).rejects.toMatchObject({ ...missing, remedy: 'git branch nowhere' });
    await expect(check(dir, 'release')).rejects.toMatchObject({
      ...missing,
      remedy: 'git branch release origin/release',
    });
    await expect(check(dir, 'origin/release')).rejects.toMatchObject({
      ...missing,
      remedy: 'git branch release origin/release',
    });
    for (const name of ['ma*', 'a b', '-x', 'a..b'])
      await expect(check(dir, name), name).rejects.toMatchObject({
        ...missing,
        message: expect.stringContaining('git takes no such name'),
        remedy: 'git branch --list',
      });
  });

  it('but not before the first commit', async () => {
    const { dir, git } = scratch({ files: null });
    await expect(check(dir)).rejects.toMatchObject({
      code: 'E_NO_COMMITS',
      remedy: expect.stringContaining('--allow-empty'),
    });
    await expect(check(dir, 'main')).rejects.toMatchObject({ code: 'E_NO_COMMITS' });
    git('commit', '-q', '--allow-empty', '-m', 'Start');
    expect(await check(dir)).toMatchObject({ target: 'main' });
  });

  it('and does not take a damaged branch for a missing one', async () => {
    const { dir } = scratch();
    writeFileSync(join(dir, '.git/refs/heads/main'), '');
    await expect(check(dir)).rejects.toMatchObject({ code: 'E_GIT', message: expect.stringContaining('damaged') });
  });
});

describe('preflight takes', () => {
  it('case 28: odd names, subfolders and linked worktrees', async () => {
    for (const name of ['with space', 'größe 🌲', '-rf $(x)']) {
      const { dir, git, write } = scratch({ name });
      write('sub/x', 'x');
      git('worktree', 'add', '-q', '-b', 'work', join(dirname(dir), 'linked'));
      for (const cwd of [join(dir, 'sub'), join(dirname(dir), 'linked')])
        expect(await check(cwd)).toMatchObject({ target: 'main' });
    }
  });

  it('case 27: submodules, shallow clones, worktrees of a bare repository and sha256', async () => {
    const inner = scratch();
    const outer = scratch();
    const around = dirname(outer.dir);
    outer.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.dir, 'sub');
    expect(await check(join(outer.dir, 'sub'))).toMatchObject({ target: 'main' });
    gitIn(around, 'clone', '-q', '--depth=1', `file://${outer.dir}`, 'shallow');
    expect(await check(join(around, 'shallow'))).toMatchObject({ target: 'main' });
    gitIn(around, 'clone', '-q', '--bare', outer.dir, 'bare.git');
    gitIn(join(around, 'bare.git'), 'worktree', 'add', '-q', '--detach', join(around, 'tree'));
    expect(await check(join(around, 'tree'))).toMatchObject({ target: 'main' });
    const long = scratch({ init: ['--object-format=sha256'] });
    expect((await check(long.dir)).targetSha).toHaveLength(64);
  });

  it('case 27: a partial clone once the objects of the target are there', async () => {
    const { dir, git } = scratch();
    git('config', 'uploadpack.allowFilter', 'true');
    gitIn(dirname(dir), 'clone', '-q', '--no-checkout', '--filter=blob:none', `file://${dir}`, 'partial');
    const clone = join(dirname(dir), 'partial');
    const refusal = { code: 'E_REPOSITORY_UNSUPPORTED', remedy: 'git fetch --refetch --no-filter' };
    await expect(check(clone)).rejects.toMatchObject(refusal);
    gitIn(clone, 'fetch', '-q', '--refetch', '--no-filter');
    expect(await check(clone)).toMatchObject({ target: 'main' });
  });
});

describe('preflight refuses', () => {
  it('a half-made worktree entry, with the command that removes it', async () => {
    const { dir, git } = scratch({ name: "it's" });
    git('worktree', 'add', '-q', '--detach', '--no-checkout', join(dirname(dir), 'linked'));
    writeFileSync(join(dir, '.git/worktrees/linked/commondir'), '');
    const error: unknown = await check(dir).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'E_REPOSITORY_BROKEN',
      facts: [expect.stringContaining('commondir is empty')],
    });
    execFileSync('sh', ['-c', (error as { remedy: string }).remedy]);
    expect(await check(dir)).toMatchObject({ target: 'main' });
    expect(git('worktree', 'list')).not.toContain('linked');
  });

  it('a spoilt entry of a whole worktree, with a command that loses nothing: it is mended, or put aside', async () => {
    const { dir, git } = scratch({ name: "it's" });
    const linked = join(dirname(dir), 'linked');
    git('worktree', 'add', '-q', '--detach', linked);
    writeFileSync(join(linked, 'staged.txt'), 'staged\n');
    gitIn(linked, 'add', 'staged.txt');
    const entry = join(dir, '.git/worktrees/linked');
    const mend = async (): Promise<void> => {
      const error: unknown = await check(dir).catch((caught: unknown) => caught);
      execFileSync('sh', ['-c', (error as { remedy: string }).remedy]);
      expect(await check(dir)).toMatchObject({ target: 'main' });
    };
    writeFileSync(join(entry, 'commondir'), '');
    await mend();
    expect(gitIn(linked, 'status', '--porcelain')).toBe('A  staged.txt');
    writeFileSync(join(entry, 'HEAD'), `${'0'.repeat(40)}\n`);
    rmSync(join(entry, 'logs'), { recursive: true });
    await mend();
    expect(existsSync(join(dir, '.git/broken-worktree-linked/index'))).toBe(true);
  });

  it('a HEAD that names no commit, with the command that puts it back where its reflog says it was', async () => {
    const { dir, git } = scratch();
    const linked = join(dirname(dir), 'linked');
    git('worktree', 'add', '-q', '-b', 'side/one', linked);
    const head = join(dir, '.git/worktrees/linked/HEAD');
    const mend = async (): Promise<void> => {
      writeFileSync(head, `${'0'.repeat(40)}\n`);
      const error: unknown = await check(dir).catch((caught: unknown) => caught);
      execFileSync('sh', ['-c', (error as { remedy: string }).remedy]);
    };
    gitIn(linked, 'commit', '-q', '--allow-empty', '-m', 'on a branch');
    await mend();
    expect(readFileSync(head, 'utf8')).toBe('ref: refs/heads/side/one\n');
    gitIn(linked, 'checkout', '-q', '--detach');
    gitIn(linked, 'commit', '-q', '--allow-empty', '-m', 'on none');
    const commit = gitIn(linked, 'rev-parse', 'HEAD');
    await mend();
    expect(readFileSync(head, 'utf8')).toBe(`${commit}\n`);
  });

  it('not an entry that git says it is making, however long that takes', async () => {
    const { dir, git } = scratch();
    git('worktree', 'add', '-q', '--detach', join(dirname(dir), 'linked'));
    const entry = join(dir, '.git/worktrees/linked');
    const commit = readFileSync(join(entry, 'HEAD'));
    writeFileSync(join(entry, 'locked'), 'initializing');
    writeFileSync(join(entry, 'HEAD'), `${'0'.repeat(40)}\n`);
    let isOver = false;
    const checked = check(dir).finally(() => (isOver = true));
    // Longer than one that says nothing of itself is given.
    const start = performance.now();
    await until('a busy machine', () => isOver || performance.now() - start > 1500);
    writeFileSync(join(entry, 'HEAD'), commit);
    expect(await checked).toMatchObject({ target: 'main' });
  });

  it('not an entry that is only being made', async () => {
    const { dir, git } = scratch();
    git('worktree', 'add', '-q', '--detach', join(dirname(dir), 'linked'));
    const file = join(dir, '.git/worktrees/linked/commondir');
    writeFileSync(file, '');
    const checked = check(dir);
    writeFileSync(file, '../..\n');
    expect(await checked).toMatchObject({ target: 'main' });
  });

  it('a checkout that a stray command declared bare', async () => {
    const { dir, git } = scratch();
    git('config', 'core.bare', 'true');
    await expect(check(dir)).rejects.toMatchObject({
      code: 'E_REPOSITORY_BROKEN',
      remedy: expect.stringContaining('core.bare false'),
    });
  });

  it('case 27: storage it does not know', async () => {
    for (const [key, value] of [
      ['refStorage', 'reftable'],
      ['somethingNew', 'true'],
    ]) {
      const { dir } = scratch();
      appendFileSync(join(dir, '.git/config'), `[extensions]\n\t${key} = ${value}\n`);
      await expect(check(dir)).rejects.toMatchObject({
        code: 'E_REPOSITORY_UNSUPPORTED',
        message: expect.stringContaining(`${value}`),
      });
    }
  });

  it('case 6: a branch that leaves no room for ours, and leaves it', async () => {
    const { dir, git } = scratch();
    git('branch', 'ralph');
    const error: unknown = await check(dir).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'E_REPOSITORY_UNSUPPORTED', message: expect.stringContaining('branch ralph') });
    git('rev-parse', '--verify', 'refs/heads/ralph');
    execFileSync('sh', ['-c', `cd '${dir}' && ${(error as { remedy: string }).remedy}`]);
    expect(await check(dir)).toMatchObject({ target: 'main' });
  });

  it('case 28: a line break in the path', async () => {
    const { dir } = scratch({ name: 'two\nlines' });
    await expect(check(dir)).rejects.toMatchObject({
      code: 'E_REPOSITORY_UNSUPPORTED',
      message: expect.stringContaining('line break'),
    });
  });

  it('a git that is too old or missing', async () => {
    const { dir } = scratch();
    const bin = join(dirname(dir), 'bin');
    mkdirSync(bin);
    process.env['PATH'] = bin;
    await expect(check(dir)).rejects.toMatchObject({ code: 'E_GIT_MISSING', message: expect.stringContaining('PATH') });
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.37.7.windows.1\n');
    chmodSync(join(bin, 'git'), 0o755);
    await expect(check(dir)).rejects.toMatchObject({
      code: 'E_GIT_MISSING',
      message: expect.stringContaining('2.37.7'),
    });
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho "git version 3.0.1 (Apple Git-1)"\n');
    await expect(check(dir)).resolves.toMatchObject({ gitVersion: '3.0.1', target: 'main' });
  });
});
