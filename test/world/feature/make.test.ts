import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listWorktrees } from '../../../src/world/worktrees/worktrees.ts';
import { type FeatureScene, featureScene } from './scene.ts';
import { gitIn } from '../scratch.ts';

let scene: FeatureScene;
beforeEach(() => {
  scene = featureScene({ files: { 'a.txt': 'a\n', '.gitignore': '.env\n*.local\nnode_modules/\n' } });
});
afterEach(() => scene.scratch.remove());

const codeOf = (act: Promise<unknown>): Promise<unknown> =>
  act.then(
    () => null,
    (error: unknown) => (error as { code?: unknown }).code ?? error,
  );

describe('makeFeature', () => {
  it('makes a worktree and a branch by the templates, ready to work in', async () => {
    const { scratch, home, repo } = scene;
    scratch.write('.env', 'KEY=1\n');
    scratch.write('node_modules/x/.env', 'NO=1\n');
    const made = await scene.make('login');
    const path = join(home, 'worktrees/login');
    expect(made).toEqual({
      name: 'login',
      path,
      branch: 'feature/login',
      base: scratch.git('rev-parse', 'main'),
      reused: false,
      copied: ['.env'],
      left: [],
      submodules: 0,
      setup: [],
      portBase: made.portBase,
      env: { RALPH_WORKTREE_NAME: 'login', RALPH_PORT_BASE: String(made.portBase), RALPH_PORT_COUNT: '10' },
    });
    expect(gitIn(path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/feature/login');
    expect(gitIn(path, 'status', '--porcelain')).toBe('');
    expect(existsSync(join(path, 'node_modules'))).toBe(false);
    // A person's own worktree: git may prune, move and remove it like any other.
    expect((await listWorktrees(repo)).at(-1)?.locked).toBe(null);

    const again = await scene.make('login');
    expect([again.reused, again.portBase, again.path]).toEqual([true, made.portBase, path]);
    const other = await scene.make('a/b', {}, { path: '../{repo}-<name>', branch: '{name}' });
    expect([other.path, other.branch]).toEqual([`${scratch.dir}-a-b`, 'a/b']);
    expect(other.portBase).not.toBe(made.portBase);
    writeFileSync(join(path, 'new.txt'), 'mine');
    expect(await codeOf(scene.make('login'))).toBe('E_NEEDS_PERSON');
  });

  it('has ports that the path of the repository chose, and none that somebody listens on', async () => {
    const own = await scene.make('own');
    expect([own.portBase >= 20_000, own.portBase <= 32_758, own.portBase % 10]).toEqual([true, true, 0]);
    const next = own.portBase === 32_750 ? 20_000 : own.portBase + 10;
    const server = createServer().listen(next + 3, '127.0.0.1');
    await once(server, 'listening');
    const beside = await scene.make('beside');
    server.close();
    expect([own.portBase, next]).not.toContain(beside.portBase);
  });

  it('takes an existing branch as it is, and never one that stands elsewhere', async () => {
    const { scratch } = scene;
    scratch.git('branch', 'feature/old');
    const tip = scratch.git('rev-parse', 'feature/old');
    scratch.write('more.txt', 'more');
    scratch.commit();
    const made = await scene.make('old');
    expect([made.base, scratch.git('rev-parse', 'feature/old')]).toEqual([tip, tip]);
    await expect(scene.make('other', { branch: 'feature/old' })).rejects.toMatchObject({
      code: 'E_NEEDS_PERSON',
      message: `the branch feature/old is checked out at ${made.path}`,
    });
    await expect(scene.make('main', { branch: 'main' })).rejects.toMatchObject({ code: 'E_NEEDS_PERSON' });
    scratch.git('branch', 'feature/here', tip);
    await expect(scene.make('here', { base: 'main' })).rejects.toMatchObject({
      remedy: 'ralph worktree new here --branch feature/here',
    });
    expect(scratch.git('rev-parse', 'feature/here')).toBe(tip);
    scratch.git('update-ref', 'refs/remotes/origin/feature/far', tip);
    expect((await scene.make('far')).base).toBe(tip);
    expect((await scene.make('from', { base: 'main~1' })).base).toBe(tip);
    // Moved by git, it is still the same one.
    const moved = join(scene.home, 'elsewhere');
    scratch.git('worktree', 'move', made.path, moved);
    expect(await scene.make('old')).toMatchObject({ reused: true, path: moved, portBase: made.portBase });
  });

  it('refuses what is in the way with a command that helps', async () => {
    const { home, scratch } = scene;
    mkdirSync(join(home, 'worktrees/login'), { recursive: true });
    writeFileSync(join(home, 'worktrees/login/mine.txt'), 'mine');
    await expect(scene.make('login')).rejects.toMatchObject({
      code: 'E_NEEDS_PERSON',
      remedy: `ralph worktree new login --path ${join(home, 'worktrees/login-2')}`,
    });
    await expect(scene.make('login', { typed: ['start', 'login', 'x.md'] })).rejects.toMatchObject({
      remedy: `ralph start login x.md --path ${join(home, 'worktrees/login-2')}`,
    });
    // Somebody else would choose where it goes, and what comes along with it.
    mkdirSync(join(home, 'outside'));
    for (const [name, to] of [
      ['led', join(home, 'outside')],
      ['astray', '/nowhere/at/all'],
    ] as const) {
      symlinkSync(to, join(home, 'worktrees', name));
      await expect(scene.make(name), name).rejects.toMatchObject({
        code: 'E_NEEDS_PERSON',
        message: expect.stringMatching(/^a link leads to /),
      });
    }
    expect(readdirSync(join(home, 'outside'))).toEqual([]);
    expect(scratch.git('branch', '--list', 'feature/*')).toBe('');
    expect(await codeOf(scene.make('x', { path: join(scratch.dir, '.git/x') }))).toBe('E_NAME');
    await expect(scene.make('x', { path: join(scratch.dir, '..') })).rejects.toMatchObject({
      code: 'E_NAME',
      remedy: `ralph worktree new x --path ${scratch.dir}-x`,
    });
    await expect(scene.make('x', {}, { path: '../../<name>/..' })).rejects.toMatchObject({
      remedy: expect.stringContaining('ralph config set worktree.path'),
    });
    for (const path of ['x'.repeat(300), `/${'ü'.repeat(200)}`, ' '])
      expect(await codeOf(scene.make('x', { path }))).toBe('E_NAME');
    // Branches are files and folders to git, and what is listed before the one in the way is not.
    for (const beside of ['feature/alpha', 'feature/login', 'feature/zed/one', 'deep/a']) scratch.git('branch', beside);
    for (const [name, other] of [
      ['login/form', 'feature/login'],
      ['zed', 'feature/zed/one'],
    ] as const)
      await expect(scene.make(name), name).rejects.toMatchObject({
        code: 'E_NEEDS_PERSON',
        message: `git cannot have a branch feature/${name} beside ${other}`,
      });
    // What shall be done there goes along.
    const typed = ['start', 'zed', 'do it now', '--from', 'main'];
    await expect(scene.make('zed', { typed })).rejects.toMatchObject({
      remedy: "ralph start zed 'do it now' --from main --branch feature-zed-2",
    });
    scratch.git('branch', '-D', 'feature/alpha', 'feature/login', 'feature/zed/one', 'deep/a');
    await scene.make('deep/er', {}, { branch: '<name>' });
    for (const [name, branch] of [
      ['deep', 'deep-2'],
      ['deep/er/est', 'deep-er-est-2'],
    ] as const)
      await expect(scene.make(name, {}, { branch: '<name>' })).rejects.toMatchObject({
        code: 'E_NEEDS_PERSON',
        remedy: `ralph worktree new ${name} --branch ${branch}`,
      });
    // Inside of the checkout it is not shown there as something new.
    await scene.make('in', { path: join(scratch.dir, 'my [trees]/in') });
    expect(scratch.git('status', '--porcelain')).toBe('');
    const one = await scene.make('one');
    expect(await codeOf(scene.make('two', { path: join(one.path, 'two') }))).toBe('E_NEEDS_PERSON');
    expect(await codeOf(scene.make('two', { path: one.path }))).toBe('E_NEEDS_PERSON');
    await expect(scene.make('one', { branch: 'b', path: join(home, 'p') })).rejects.toMatchObject({
      remedy: 'ralph worktree new one-2',
    });
    await expect(
      scene.make('one', { branch: 'b', path: join(home, 'p'), typed: ['start', 'one', 'do it', '--branch', 'b'] }),
    ).rejects.toMatchObject({ remedy: "ralph start one-2 'do it' --branch b" });
    await expect(scene.make('two', { branch: 'a b' })).rejects.toMatchObject({
      remedy: 'ralph worktree new two --branch a-b',
    });
    expect(await codeOf(scene.make('two', {}, { path: '~/same' }))).toBe('E_CONFIG');
    expect(await codeOf(scene.make('two', {}, { path: '~/<nme>' }))).toBe('E_CONFIG');
    rmSync(one.path, { recursive: true });
    await expect(scene.make('one')).rejects.toMatchObject({ remedy: expect.stringContaining('worktree remove -f -f') });
  });

  it('takes no hostile name, branch, base or folder, and runs nothing', async () => {
    const { scratch, home } = scene;
    const canary = join(home, 'canary');
    const hostile = [
      `x; touch ${canary}`,
      `$(touch ${canary})`,
      `\`touch ${canary}\``,
      `"x"`,
      `'x'`,
      'a b',
      '../x',
      'a\nb',
      '-rf',
      '--upload-pack=x',
      '.hidden',
      'x.lock',
      'a//b',
      '',
      'x'.repeat(300),
      'a\u0000b',
      '\u001b[31mx',
      'refs/heads/@{-1}',
    ];
    const before = scratch.git('for-each-ref');
    for (const text of hostile) {
      expect(await codeOf(scene.make(text)), text).toBe('E_NAME');
      expect(await codeOf(scene.make('x', { branch: text })), text).toBe('E_NAME');
      expect(await codeOf(scene.make('x', { base: text })), text).toBe('E_NAME');
    }
    expect(await codeOf(scene.make('x', { path: 'a\nb' }))).toBe('E_NAME');
    expect(scratch.git('for-each-ref')).toBe(before);
    const odd = join(home, `$(touch ${'canary'}) 'x' "y"; z`);
    expect((await scene.make('größe-1', { path: odd })).path).toBe(odd);
    expect(existsSync(canary)).toBe(false);
    expect(existsSync(join(scratch.dir, 'canary'))).toBe(false);
  });
});

describe('what comes along', () => {
  it('is copied with its mode and never through a link on either side', async () => {
    const { scratch, home } = scene;
    writeFileSync(join(home, 'secret'), 'of somebody else');
    mkdirSync(join(home, 'outside'));
    scratch.write('tracked/.keep', '');
    scratch.commit();
    // In the branch a link stands where a folder stands here.
    scratch.git('checkout', '-q', '-b', 'feature/one');
    symlinkSync(join(home, 'outside'), join(scratch.dir, 'trap'));
    scratch.commit();
    scratch.git('checkout', '-q', 'main');
    scratch.write('trap/x.local', 'would leave');
    scratch.write('.env', 'A=1\n');
    scratch.write('.vscode/settings.json', '{}');
    scratch.write('tracked/.env', 'B=1\n');
    scratch.write('big.local', Buffer.alloc(17 * 1024 * 1024));
    writeFileSync(join(scratch.dir, 'run.local'), 'x', { mode: 0o750 });
    symlinkSync(join(home, 'secret'), join(scratch.dir, 'link.local'));
    symlinkSync(home, join(scratch.dir, 'folder.local'));
    const made = await scene.make('one', {}, { copy: ['.env', '*.local', '.vscode/**', 'trap/*', '!tracked/**'] });
    expect([...made.copied].sort()).toEqual(['.env', '.vscode/settings.json', 'run.local']);
    expect(made.left.map(({ path, why }) => `${path}: ${why}`).sort()).toEqual([
      'big.local: it is larger than 16 MB',
      'folder.local: it is a link',
      'link.local: it is a link',
      'trap/x.local: trap is a link',
    ]);
    expect(statSync(join(made.path, 'run.local')).mode & 0o777).toBe(0o750);
    expect(existsSync(join(home, 'outside/x.local'))).toBe(false);
    expect(existsSync(join(made.path, 'tracked/.env'))).toBe(false);
    // What came along and git does not ignore is nobody's work until it is touched.
    expect((await scene.status('one')).changes?.isClean).toBe(true);
    writeFileSync(join(made.path, '.vscode/settings.json'), '{"mine": 1}');
    expect((await scene.status('one')).changes).toMatchObject({ untracked: 1 });
  });

  it('never writes over what the branch has', async () => {
    const { scratch } = scene;
    scratch.git('checkout', '-q', '-b', 'feature/one');
    scratch.write('mine.local', 'of the branch');
    scratch.git('add', '-f', 'mine.local');
    scratch.git('commit', '-q', '-m', 'Track it');
    scratch.git('checkout', '-q', 'main');
    scratch.write('mine.local', 'of the checkout');
    const made = await scene.make('one');
    expect(made.left).toEqual([{ path: 'mine.local', why: 'something is there already' }]);
    expect(readFileSync(join(made.path, 'mine.local'), 'utf8')).toBe('of the branch');
  });
});

describe('setup', () => {
  it('runs what is detected or asked for in the worktree; what fails is told and stops nothing', async () => {
    const { scratch, said, home } = scene;
    scratch.write('package.json', '{"name": "x", "version": "1.0.0"}');
    scratch.write('package-lock.json', '{"name": "x", "version": "1.0.0", "lockfileVersion": 3, "packages": {}}');
    scratch.write('mix.exs', '');
    scratch.commit();
    // Tools of its own on the way, so that nothing is fetched.
    const bin = join(home, 'bin');
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'npm'),
      '#!/bin/sh\necho "$@ in $PWD at $RALPH_PORT_BASE ${RALPH_LOOP_ID-none}" > ran\necho boom >&2\nexit 3\n',
      {
        mode: 0o755,
      },
    );
    const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin`, RALPH_LOOP_ID: 'x' };
    const made = await scene.make('one', { env });
    expect(made.setup).toEqual([
      { ecosystem: 'npm', command: ['npm', 'ci'], ok: false, tail: 'boom' },
      { ecosystem: 'mix', command: ['mix', 'deps.get'], ok: false, tail: 'mix is not installed' },
    ]);
    expect(readFileSync(join(made.path, 'ran'), 'utf8')).toBe(`ci in ${made.path} at ${made.portBase} none\n`);
    expect(said).toContain('npm: npm ci');

    const own = await scene.make(
      'two',
      { env },
      { setup: ['echo "one $RALPH_WORKTREE_NAME" > own', 'false', 'touch never'] },
    );
    expect(own.setup.map(({ command, ok }) => [command[2], ok])).toEqual([
      ['echo "one $RALPH_WORKTREE_NAME" > own', true],
      ['false', false],
    ]);
    expect(readFileSync(join(own.path, 'own'), 'utf8')).toBe('one two\n');
    expect((await scene.make('three', { env, install: false })).setup).toEqual([]);
    expect((await scene.make('four', { env }, { setup: [] })).setup).toEqual([]);
  });

  it('tells of a Python project that nothing was installed for it, unless that is wanted', async () => {
    const { scratch, said } = scene;
    scratch.write('pyproject.toml', '[tool.poetry]\nname = "x"\n');
    scratch.commit();
    const told = (): readonly string[] => said.splice(0).filter((line) => line.includes('pyproject.toml'));
    await scene.make('one');
    expect(told()).toEqual([expect.stringMatching(/^nothing was installed for .*setup = \["poetry install"\]$/)]);
    await scene.make('two', { install: false });
    await scene.make('three', {}, { setup: [] });
    await scene.make('four', {}, { setup: ['true'] });
    expect(told()).toEqual([]);
  });
});
