import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { itOn } from '../../needs.ts';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { heal } from '../../../src/world/checkout/publish-heal.ts';
import { publish } from '../../../src/world/checkout/publish.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import type { Repository } from '../../../src/world/git/run/repository.ts';
import { type GitView, openView } from '../../../src/world/git/run/view.ts';
import { identityOf, ownIdentity } from '../../../src/world/processes/identity.ts';
import { type Bundled, bundleChild, until } from '../bundled-child.ts';
import { type ScratchRepo, gitIn, scratchRepo } from '../scratch.ts';

let scratch: ScratchRepo;
let repo: Repository;
let view: GitView;
let base: Sha;
afterEach(() => scratch.remove());

const start = async (files: Record<string, string>): Promise<void> => {
  scratch = scratchRepo({ files: { '.gitignore': '*.env\n', ...files } });
  repo = findRepository(scratch.dir);
  view = await openView(repo);
  base = sha(scratch.git('rev-parse', 'HEAD'));
};
const land = (act: (put: (name: string, content: string | null) => void, dir: string) => void): Sha => {
  const dir = join(dirname(scratch.dir), 'landing');
  scratch.git('worktree', 'add', '-q', '--detach', dir, 'main');
  act((name, content) => {
    rmSync(join(dir, name), { recursive: true, force: true });
    if (content === null) return;
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }, dir);
  gitIn(dir, 'add', '-A');
  gitIn(dir, 'commit', '-q', '-m', 'landed');
  return sha(gitIn(dir, 'rev-parse', 'HEAD'));
};
const journal = (to: Sha, by = { ...ownIdentity(), startTime: '1' }): void =>
  writeFileSync(
    join(repo.stateDir, 'publish.json'),
    JSON.stringify({ target: 'main', from: base, to, worktree: scratch.dir, gitDir: repo.commonDir, by }),
  );
const go = (to: Sha) => publish(repo, view, { target: 'main', to });
const read = (name: string): string => readFileSync(join(scratch.dir, name), 'utf8');
const status = (): string => scratch.git('status', '--porcelain');
const lock = (): string => join(repo.commonDir, 'index.lock');
const mergesOf = (to: Sha): number[] =>
  readdirSync('/proc')
    .filter((name) => {
      try {
        return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`\0${to}\0`);
      } catch {
        return false;
      }
    })
    .map(Number);

describe('a publish of 3,000 files is killed', () => {
  const COUNT = 3000;
  let program: Bundled;
  beforeAll(async () => {
    program = await bundleChild(`
      import { findRepository } from 'src/world/git/run/repository.ts';
      import { publish } from 'src/world/checkout/publish.ts';
      import { openView } from 'src/world/git/run/view.ts';
      const [dir, to] = process.argv.slice(2);
      const repo = findRepository(dir);
      console.log((await publish(repo, await openView(repo), { target: 'main', to })).outcome);
    `);
  });
  afterAll(() => program.remove());
  const fileOf = (at: number): string => `many/${at % 50}/${at}.txt`;
  const all = Array.from({ length: COUNT }, (_, at) => at);
  const blob = (name: string, text: string): string => `inline ${name}\ndata ${text.length}\n${text}`;
  /** Through fast-import: one pack instead of thousands of small files. */
  const fastImport = (branch: string, from: string, lines: readonly string[]): Sha => {
    const head = `commit refs/heads/${branch}\ncommitter x <x@y> 1 +0000\ndata 1\nx\nfrom ${from}\n`;
    const stream = head + lines.map((line) => `${line}\n`).join('');
    execFileSync('git', ['fast-import', '--quiet', '--force'], { cwd: scratch.dir, input: stream });
    return sha(scratch.git('rev-parse', branch));
  };
  let to: Sha;
  beforeEach(async () => {
    await start({});
    const added = all.map((at) => `M 644 ${blob(fileOf(at), `before ${at}\n`.repeat(40))}`);
    base = fastImport('base', 'refs/heads/main', added);
    scratch.git('merge', '-q', '--ff-only', base);
    to = fastImport(
      'to',
      base,
      all.map((at) => {
        if (at % 10 === 0) return `D ${fileOf(at)}`;
        const name = at % 10 === 1 ? `added/${at}/x.txt` : fileOf(at);
        return `M 644 ${blob(name, `after ${at}\n`.repeat(60))}`;
      }),
    );
  });

  itOn('linux')(
    'and healed, wherever it was cut',
    async () => {
      scratch.write('mine.txt', 'mine\n');
      scratch.write('mine.env', 'MINE=1\n');
      scratch.write('staged.txt', 'staged\n');
      scratch.git('add', 'staged.txt');
      let cut = 0;
      // git takes the files in order, so waiting for a later one cuts later.
      for (const folder of ['added/1', 'many/33', 'many/9']) {
        scratch.git('update-ref', 'refs/heads/main', base);
        const { child, output } = program.start(scratch.dir, to);
        const reached = (): boolean => {
          if (folder.startsWith('added')) return existsSync(join(scratch.dir, folder));
          // git removes a file before it writes it anew, so one may be missing while we look.
          const file = join(scratch.dir, folder, folder === 'many/33' ? '1033.txt' : '1009.txt');
          return !existsSync(file) || statSync(file).size !== 'before 1033\n'.length * 40;
        };
        await until('it got there', () => reached() || child.exitCode !== null);
        child.kill('SIGKILL');
        for (const pid of mergesOf(to)) process.kill(pid, 'SIGKILL');
        await output.catch(() => {});
        if (existsSync(lock())) cut += 1;
        // It may have been quicker than the kill.
        const done = !existsSync(join(repo.stateDir, 'publish.json')) && scratch.git('rev-parse', 'main') === to;
        expect(await heal(repo, view)).toBe(done ? 'nothing' : 'healed');
        expect(existsSync(lock())).toBe(false);
        if (scratch.git('rev-parse', 'main') === base) {
          expect(status().split('\n').sort()).toEqual(['?? mine.txt', 'A  staged.txt']);
          expect(existsSync(join(scratch.dir, 'added'))).toBe(false);
          expect(await go(to)).toEqual({ outcome: 'published', to });
        }
        expect(status().split('\n').sort()).toEqual(['?? mine.txt', 'A  staged.txt']);
        expect([read('mine.txt'), read('mine.env'), read('staged.txt')]).toEqual(['mine\n', 'MINE=1\n', 'staged\n']);
        expect(existsSync(join(repo.stateDir, 'publish.json'))).toBe(false);
        // Back to where it was, for the next cut.
        scratch.git('read-tree', '-m', '-u', to, base);
      }
      expect(cut).toBeGreaterThan(0);
    },
    240_000,
  );

  it('in us alone: git ends it, and healing waits for that', async () => {
    const { child, output } = program.start(scratch.dir, to);
    await until('git is at it', () => existsSync(lock()) || child.exitCode !== null);
    child.kill('SIGKILL');
    await output.catch(() => {});
    expect(await heal(repo, view)).toBe('healed');
    expect(scratch.git('rev-parse', 'main')).toBe(to);
    expect(status()).toBe('');
  }, 240_000);
});

describe('what was left half-way', () => {
  beforeEach(() =>
    start({
      'a.txt': 'a\n',
      'b.txt': 'b\n',
      'run.sh': 'run\n',
      'gone.txt': 'gone\n',
      file: 'file\n',
      'folder/x.txt': 'x\n',
      'keep.txt': 'keep\n',
    }),
  );
  const landAll = (): Sha =>
    land((put, dir) => {
      put('a.txt', 'after a\n');
      put('b.txt', 'after b\n');
      put('gone.txt', null);
      put('new\nname.txt', 'new\n');
      put('deep/er/new.txt', 'new\n');
      put('file', null);
      put('file/inner.txt', 'inner\n');
      put('folder', null);
      put('folder', 'now a file\n');
      chmodSync(join(dir, 'run.sh'), 0o755);
      symlinkSync('a.txt', join(dir, 'link'));
    });

  it('nothing: there was no publish', async () => {
    expect(await heal(repo, view)).toBe('nothing');
  });

  it('files of every kind, one of them truncated', async () => {
    const to = landAll();
    journal(to);
    writeFileSync(lock(), '');
    scratch.write('a.txt', 'after a\n');
    scratch.write('b.txt', 'after b\n');
    truncateSync(join(scratch.dir, 'b.txt'), 3);
    rmSync(join(scratch.dir, 'gone.txt'));
    scratch.write('new\nname.txt', '');
    scratch.write('deep/er/new.txt', 'new\n');
    rmSync(join(scratch.dir, 'file'));
    scratch.write('file/inner.txt', 'inner\n');
    rmSync(join(scratch.dir, 'folder'), { recursive: true });
    scratch.write('folder', 'now a f');
    chmodSync(join(scratch.dir, 'run.sh'), 0o755);
    symlinkSync('a.txt', join(scratch.dir, 'link'));
    scratch.write('keep.txt', 'mine\n');
    scratch.write('deep/mine.txt', 'mine\n');
    expect(await heal(repo, view)).toBe('healed');
    expect(status().split('\n')).toEqual(['M keep.txt', '?? deep/']);
    expect(scratch.git('ls-files', '-s')).toBe(
      gitIn(scratch.dir, 'ls-tree', '-r', 'main', '--format=%(objectmode) %(objectname) 0%x09%(path)'),
    );
    expect(await go(to)).toEqual({ outcome: 'published', to });
    expect([read('keep.txt'), read('deep/mine.txt')]).toEqual(['mine\n', 'mine\n']);
  });

  it('everything but the branch: files and index are new', async () => {
    const to = landAll();
    scratch.write('mine.txt', 'mine\n');
    scratch.git('add', 'mine.txt');
    scratch.git('read-tree', '-m', '-u', base, to);
    expect(scratch.git('diff', '--cached', '--name-only', to)).toBe('mine.txt');
    journal(to);
    expect(await heal(repo, view)).toBe('healed');
    expect(status()).toBe('A  mine.txt');
    expect(await go(to)).toEqual({ outcome: 'published', to });
    expect(status()).toBe('A  mine.txt');
  });

  it('the note alone: everything was done, or nothing was', async () => {
    const to = landAll();
    journal(to);
    expect(await heal(repo, view)).toBe('healed');
    expect(status()).toBe('');
    await go(to);
    journal(to);
    expect(await heal(repo, view)).toBe('healed');
    expect(scratch.git('rev-parse', 'main')).toBe(to);
    expect(existsSync(join(repo.stateDir, 'publish.json'))).toBe(false);
  });

  const since: Record<string, { act: () => void; named: string }> = {
    'a file was edited': { act: () => scratch.write('a.txt', 'after a, and mine\n'), named: 'a.txt (changed since)' },
    'a new file was edited': {
      act: () => scratch.write('deep/er/new.txt', 'mine\n'),
      named: 'deep/er/new.txt (changed since)',
    },
    'a link was made': {
      act: () => symlinkSync('elsewhere', join(scratch.dir, 'link')),
      named: 'link (changed since)',
    },
    'a file was put into a folder that replaces a file': {
      act: () => {
        rmSync(join(scratch.dir, 'file'));
        scratch.write('file/mine.txt', 'mine\n');
      },
      named: 'file (changed since)',
    },
  };
  for (const [what, { act, named }] of Object.entries(since)) {
    it(`and ${what}: hands off everything`, async () => {
      const to = landAll();
      journal(to);
      writeFileSync(lock(), '');
      scratch.write('b.txt', 'after b\n');
      act();
      const before = status();
      expect(await heal(repo, view)).toEqual({ hands_off: [named] });
      expect(status()).toBe(before);
      expect(existsSync(lock())).toBe(true);
      expect(await go(to)).toEqual({ outcome: 'blocked', why: 'an earlier publish was cut short', paths: [named] });
    });
  }

  it('and a file was staged: hands off', async () => {
    const to = landAll();
    journal(to);
    scratch.write('a.txt', 'staged\n');
    scratch.git('add', 'a.txt');
    scratch.write('a.txt', 'a\n');
    expect(await heal(repo, view)).toEqual({ hands_off: ['a.txt (changed since)'] });
    expect(status()).toBe('MM a.txt');
  });

  it('and the user went on alone: the note is dropped once our files are tidy', async () => {
    const to = landAll();
    journal(to);
    scratch.write('keep.txt', 'mine\n');
    scratch.commit('mine');
    scratch.write('a.txt', 'after');
    expect(await heal(repo, view)).toEqual({ hands_off: ['a.txt (modified)'] });
    // What is as it was to become is not in anybody's way: a loop in place may have written it.
    scratch.write('a.txt', 'after a\n');
    scratch.write('deep/er/new.txt', 'new\n');
    scratch.git('add', 'deep');
    rmSync(join(scratch.dir, 'gone.txt'));
    const before = status();
    expect(await heal(repo, view)).toBe('healed');
    expect(status()).toBe(before);
    expect(await heal(repo, view)).toBe('nothing');
  });

  it('and whoever published still lives: hands off', async () => {
    const to = landAll();
    const other = spawn('sleep', ['60']);
    try {
      await until('it lives', () => identityOf(other.pid ?? 0) !== null);
      journal(to, identityOf(other.pid ?? 0) ?? ownIdentity());
      writeFileSync(lock(), '');
      expect(await heal(repo, view)).toEqual({ hands_off: [`process ${other.pid} is publishing`] });
      expect(existsSync(lock())).toBe(true);
    } finally {
      other.kill('SIGKILL');
    }
  });

  itOn('linux')('and another git works there: its index.lock stays', async () => {
    const to = landAll();
    journal(to);
    scratch.write('a.txt', 'after a\n');
    writeFileSync(lock(), '');
    const other = spawn('git', ['cat-file', '--batch'], { cwd: scratch.dir });
    try {
      await until('it runs', () => readFileSync(`/proc/${other.pid}/comm`, 'utf8').startsWith('git'));
      expect(await heal(repo, view)).toEqual({ hands_off: [expect.stringContaining(`process ${other.pid}`)] });
      expect(existsSync(lock())).toBe(true);
      expect(read('a.txt')).toBe('after a\n');
    } finally {
      other.kill('SIGKILL');
    }
  });
});
