import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withFeaturePlace } from '../../../src/world/worktrees/feature-note.ts';
import { removeFeature } from '../../../src/world/feature/remove-feature.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { adminDirOf } from '../../../src/world/git/files/worktree-admin.ts';
import { type Bundled, bundleChild, until } from '../bundled-child.ts';
import { type FeatureScene, SETTINGS, featureScene } from './scene.ts';
import { type ScratchRepo, gitIn, scratchRepo } from '../scratch.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function open(...args: Parameters<typeof featureScene>): FeatureScene {
  const scene = featureScene(...args);
  ends.push(() => scene.scratch.remove());
  return scene;
}

/** What git reads as the user's own, as programs of ours start it. */
function useHome(home: string): void {
  const before = process.env['HOME'];
  process.env['HOME'] = home;
  ends.push(() => {
    process.env['HOME'] = before;
  });
}

describe('repositories that are not plain', () => {
  let inner: ScratchRepo;
  beforeEach(() => {
    inner = scratchRepo({ files: { 'lib.txt': 'lib\n' } });
    ends.push(() => inner.remove());
  });

  function withSubmodule(): FeatureScene {
    const scene = open();
    scene.scratch.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.dir, 'sub');
    scene.scratch.commit('Add a submodule');
    return scene;
  }

  it('fetches submodules from where git allows it, and tells when it does not', async () => {
    const scene = withSubmodule();
    useHome(scene.home);
    const refused = await scene.make('one');
    expect(refused.submodules).toBe(0);
    expect(scene.said.find((line) => line.startsWith('submodules are missing'))).toContain(
      `again: git -C ${refused.path} submodule update --init --recursive`,
    );
    writeFileSync(
      join(scene.home, '.gitconfig'),
      '[protocol "file"]\n\tallow = always\n[user]\n\tname=A\n\temail=a@b.c\n',
    );
    const made = await scene.make('two');
    expect([made.submodules, readFileSync(join(made.path, 'sub/lib.txt'), 'utf8')]).toEqual([1, 'lib\n']);
    const three = await scene.make('three', {}, { submodules: false });
    expect(three.submodules).toBe(0);
    // Git sees nothing in the folder of a submodule that is not there.
    writeFileSync(join(three.path, 'sub/mine.txt'), 'mine');
    const target = await scene.status('three');
    await expect(
      removeFeature(scene.repo, { target, force: true, keepBranch: false, settings: SETTINGS }),
    ).rejects.toMatchObject({ code: 'E_UNLANDED', remedy: `ls -A ${join(three.path, 'sub')}` });
    expect(existsSync(join(three.path, 'sub/mine.txt'))).toBe(true);

    // What lives in the submodule alone cannot be kept, so it stays, by force too.
    const remove = async (): Promise<unknown> =>
      removeFeature(scene.repo, {
        target: await scene.status('two'),
        force: true,
        keepBranch: false,
        settings: SETTINGS,
      });
    const sub = join(made.path, 'sub');
    writeFileSync(join(sub, 'work.txt'), 'work');
    await expect(remove()).rejects.toMatchObject({ code: 'E_UNLANDED', remedy: `git -C ${sub} status` });
    gitIn(sub, 'add', '-A');
    gitIn(sub, '-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '-q', '-m', 'work');
    await expect(remove()).rejects.toMatchObject({
      code: 'E_UNLANDED',
      remedy: expect.stringContaining('push origin'),
    });
    gitIn(sub, 'push', '-q', 'origin', 'HEAD:refs/heads/sub-work');
    gitIn(made.path, 'submodule', 'update', '-q', '--checkout');
    expect(await remove()).toMatchObject({ path: made.path });
    expect(existsSync(made.path)).toBe(false);
    expect(scene.scratch.git('config', 'submodule.sub.url')).toBe(inner.dir);
  });
});

describe('oddities', () => {
  it('leaves files behind a missing filter as they are stored', async () => {
    const scene = open({
      files: { '.gitattributes': '*.bin filter=lfs -text\n', 'big.bin': 'pointer\n', 'a.txt': 'a\n' },
    });
    useHome(scene.home);
    const filter =
      'clean = no-such-lfs clean\n\tsmudge = no-such-lfs smudge\n\tprocess = no-such-lfs run\n\trequired = true';
    writeFileSync(join(scene.home, '.gitconfig'), `[filter "lfs"]\n\t${filter}\n`);
    const made = await scene.make('one');
    expect(readFileSync(join(made.path, 'big.bin'), 'utf8')).toBe('pointer\n');
    expect(scene.said).toContain('files behind a filter that is not installed stay as they are stored');
    expect((await scene.status('one')).changes?.isClean).toBe(true);
    // One that is there and fails costs no more than its own files.
    writeFileSync(
      join(scene.home, '.gitconfig'),
      '[filter "lfs"]\n\tsmudge = false\n\tclean = cat\n\trequired = true\n',
    );
    const other = await scene.make('two');
    expect(readFileSync(join(other.path, 'big.bin'), 'utf8')).toBe('pointer\n');
    expect(scene.said.at(-1)).toContain('a filter failed, so its files stay as they are stored');
  });

  it('keeps a sparse checkout sparse', async () => {
    const scene = open({ files: { 'shown/a.txt': 'a', 'hidden/b.txt': 'b', 'top.txt': 't' } });
    scene.scratch.git('sparse-checkout', 'set', 'shown');
    const made = await scene.make('one');
    expect(['shown/a.txt', 'hidden/b.txt', 'top.txt'].map((file) => existsSync(join(made.path, file)))).toEqual([
      true,
      false,
      true,
    ]);
    expect((await scene.status('one')).changes?.isClean).toBe(true);
  });

  it('refuses a repository without commits with the remedy, and lists it all the same', async () => {
    const scene = open({ files: null });
    await expect(scene.make('one')).rejects.toMatchObject({
      code: 'E_NO_COMMITS',
      remedy: "git commit --allow-empty -m 'Start'",
    });
    expect(await scene.list()).toMatchObject([{ isMain: true, head: null, unlanded: null, target: null }]);
  });

  it('works on master, with a detached HEAD, in a path with spaces, from a linked worktree', async () => {
    const scene = open({ branch: 'master', name: 'a repo with spaces' });
    scene.scratch.git('checkout', '-q', '--detach');
    const made = await scene.make('one', {}, { path: '../<repo> features/<name>' });
    expect(made.path).toBe(join(dirname(scene.scratch.dir), 'a repo with spaces features/one'));
    expect(made.base).toBe(scene.scratch.git('rev-parse', 'master'));
    const inside = findRepository(made.path);
    expect([inside.root, inside.linked]).toEqual([scene.scratch.dir, true]);
    expect(await scene.status('one')).toMatchObject({ target: { name: 'master' }, unlanded: 0 });
  });
});

describe('cut short', () => {
  let maker: Bundled;
  afterAll(() => maker.remove());
  beforeAll(async () => {
    maker = await bundleChild(`
      import { settle } from 'src/text/config/settle.ts';
      import { makeFeature } from 'src/world/feature/make-feature.ts';
      import { findRepository } from 'src/world/git/run/repository.ts';
      const [, , dir = '', home = '', name = '', ...setup] = process.argv;
      const settings = { ...settle([]).settings.worktree, setup };
      const order = { name, base: null, path: null, branch: null, settings, install: true, onStep: () => {} };
      const made = await makeFeature(findRepository(dir), { ...order, env: { ...process.env, HOME: home } });
      process.stdout.write(JSON.stringify(made));
    `);
  });

  it('is brought to its end by the next call, wherever it was killed', async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f/${at}.txt`, `${at}\n`]));
    const scene = open({ files: { ...files, '.gitignore': '.env\n' } });
    const { scratch, home, repo } = scene;
    scratch.write('.env', 'A=1\n');
    const path = join(home, 'worktrees/one');
    const notes = join(repo.stateDir, 'half-made');
    const moments: readonly (() => boolean)[] = [
      () => existsSync(notes),
      () => existsSync(join(path, '.git')),
      () => existsSync(join(path, 'f/0.txt')),
      () => existsSync(join(path, '.env')),
      () => existsSync(join(path, 'in-setup')),
    ];
    for (const moment of moments) {
      const { child } = maker.start(
        scratch.dir,
        home,
        'one',
        'touch in-setup; while [ -e in-setup ]; do sleep 0.1; done',
      );
      const ended = new Promise((resolve) => child.on('close', resolve));
      await until('the moment has come', () => moment() || child.exitCode !== null);
      child.kill('SIGKILL');
      await ended;
    }
    const made = await scene.make('one', {}, { setup: ['rm -f in-setup; touch set-up'] });
    expect([made.reused, made.copied, made.setup.map((step) => step.ok)]).toEqual([false, ['.env'], [true]]);
    expect(gitIn(path, 'status', '--porcelain')).toBe('?? set-up');
    expect(scratch.git('rev-parse', 'feature/one')).toBe(scratch.git('rev-parse', 'main'));
    expect(await scene.status('one')).toMatchObject({ ours: 'feature', locked: null });
    expect(adminDirOf(repo, path)).not.toBe(null);
  });

  it('what another is amid making there is judged once it is made', async () => {
    const { scratch, home, repo } = open();
    const path = join(home, 'worktrees/one');
    const locks = join(repo.stateDir, 'locks');
    const isWaiting = (): boolean => readdirSync(locks).some((name) => /^feature-.*\.tmp-/.test(name));
    const output = await withFeaturePlace(repo, path, async () => {
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'half'), 'of what another makes');
      const { child, output: printed } = maker.start(scratch.dir, home, 'one');
      await until('it waits for the place', () => isWaiting() || child.exitCode !== null);
      rmSync(join(path, 'half'));
      return { printed };
    });
    expect(JSON.parse(await output.printed)).toMatchObject({ path, reused: false });
  });

  it('several at once have a worktree and ports each; two of one name share it', async () => {
    const { scratch, home } = open();
    mkdirSync(join(home, 'worktrees'));
    const names = ['a', 'b', 'c', 'c'];
    const outputs = await Promise.all(names.map((name) => maker.start(scratch.dir, home, name).output));
    const made = outputs.map((output) => JSON.parse(output) as { path: string; portBase: number; reused: boolean });
    expect(new Set(made.map((one) => one.path)).size).toBe(3);
    expect(new Set(made.map((one) => one.portBase)).size).toBe(3);
    expect(made.filter((one) => one.reused)).toHaveLength(1);
  });
});
