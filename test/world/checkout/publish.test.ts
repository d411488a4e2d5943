import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { publish } from '../../../src/world/checkout/publish.ts';
import type { Published } from '../../../src/world/contract/outcomes.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import type { Repository } from '../../../src/world/git/run/repository.ts';
import { type GitView, openView } from '../../../src/world/git/run/view.ts';
import { type ScratchRepo, gitIn, scratchRepo } from '../scratch.ts';

let scratch: ScratchRepo;
let repo: Repository;
let view: GitView;
let base: Sha;
let landing: string;
beforeEach(async () => {
  scratch = scratchRepo({
    files: {
      'a.txt': 'a\n',
      'b.txt': 'b\n',
      'src/c.txt': 'c\n',
      'gone.txt': 'gone\n',
      '.gitignore': '*.env\ncache/\n',
    },
  });
  repo = findRepository(scratch.dir);
  view = await openView(repo);
  base = sha(scratch.git('rev-parse', 'HEAD'));
  landing = join(dirname(scratch.dir), 'landing');
});
afterEach(() => scratch.remove());

/** A commit on top of main, made elsewhere; null removes a file. */
const land = (files: Readonly<Record<string, string | null>>): Sha => {
  if (!existsSync(landing)) scratch.git('worktree', 'add', '-q', '--detach', landing, 'main');
  for (const [name, content] of Object.entries(files)) {
    rmSync(join(landing, name), { recursive: true, force: true });
    if (content === null) continue;
    mkdirSync(dirname(join(landing, name)), { recursive: true });
    writeFileSync(join(landing, name), content);
  }
  gitIn(landing, 'add', '-A', '-f');
  gitIn(landing, 'commit', '-q', '-m', 'landed');
  return sha(gitIn(landing, 'rev-parse', 'HEAD'));
};
const go = (to: Sha): Promise<Published> => publish(repo, view, { target: 'main', to });

/** Everything a user could miss: every file with its mode and content, the index, the stash, config and hooks. */
const everything = (without: readonly string[] = []): Record<string, string> => {
  const seen: Record<string, string> = {};
  const look = (folder: string): void => {
    for (const entry of readdirSync(join(scratch.dir, folder), { withFileTypes: true })) {
      const name = join(folder, entry.name);
      if (name === '.git' || without.includes(name)) continue;
      const path = join(scratch.dir, name);
      if (entry.isDirectory()) look(name);
      else {
        const content = entry.isSymbolicLink() ? readlinkSync(path) : readFileSync(path);
        seen[name] = `${lstatSync(path).mode.toString(8)} ${createHash('sha256').update(content).digest('hex')}`;
      }
    }
  };
  look('.');
  const staged = scratch.git('ls-files', '-s', '-v').split('\n');
  seen['index'] = staged.filter((line) => !without.some((name) => line.endsWith(`\t${name}`))).join('\n');
  seen['stash'] = scratch.git('stash', 'list', '--format=%H %gs');
  seen['config'] = readFileSync(join(repo.commonDir, 'config'), 'utf8');
  seen['hooks'] = readdirSync(join(repo.commonDir, 'hooks')).join(' ');
  return seen;
};
const head = (): string => scratch.git('rev-parse', 'main');

describe('publish where nothing is in the way', () => {
  it('moves the branch and the checkout', async () => {
    const to = land({ 'a.txt': 'A\n', 'new/x.txt': 'x\n', 'gone.txt': null });
    expect(await go(to)).toEqual({ outcome: 'published', to });
    expect(head()).toBe(to);
    expect(scratch.git('status', '--porcelain')).toBe('');
    expect(readFileSync(join(scratch.dir, 'new/x.txt'), 'utf8')).toBe('x\n');
    expect(existsSync(join(repo.stateDir, 'publish.json'))).toBe(false);
    expect(scratch.git('reflog', '-1', '--format=%gs', 'main')).toContain('paralph publish');
    expect(await go(to)).toEqual({ outcome: 'current' });
  });

  it('leaves every other local file byte for byte as it is', async () => {
    const to = land({ 'a.txt': 'A\n', 'new.txt': 'new\n' });
    scratch.write('gone.txt', 'stashed\n');
    scratch.git('stash', '-q');
    scratch.write('b.txt', 'mine\n');
    scratch.write('src/c.txt', 'staged\n');
    scratch.git('add', 'src/c.txt');
    scratch.write('src/c.txt', 'staged and changed again\n');
    scratch.write('untracked.txt', 'untracked\n');
    scratch.write('secret.env', 'TOKEN=1\n');
    scratch.write('cache/deep/x', 'ignored\n');
    chmodSync(join(scratch.dir, 'untracked.txt'), 0o700);
    symlinkSync('nowhere', join(scratch.dir, 'link'));
    rmSync(join(scratch.dir, 'gone.txt'));
    const before = everything(['a.txt', 'new.txt']);
    expect(await go(to)).toEqual({ outcome: 'published', to });
    expect(everything(['a.txt', 'new.txt'])).toEqual(before);
    expect(
      scratch
        .git('status', '--porcelain')
        .split('\n')
        .map((line) => line.trim())
        .sort(),
    ).toEqual(['?? link', '?? untracked.txt', 'D gone.txt', 'M b.txt', 'MM src/c.txt']);
  });

  it('runs no hook of the user, and obeys no merge option of the branch', async () => {
    for (const name of ['post-merge', 'reference-transaction', 'post-checkout', 'post-index-change']) {
      writeFileSync(join(repo.commonDir, 'hooks', name), `#!/bin/sh\ntouch '${repo.commonDir}/hook-ran'\n`, {
        mode: 0o755,
      });
    }
    scratch.git('config', 'branch.main.mergeOptions', '--squash --no-commit');
    scratch.git('config', 'merge.ff', 'false');
    const to = land({ 'a.txt': 'A\n' });
    rmSync(join(repo.commonDir, 'hook-ran'), { force: true });
    expect(await go(to)).toEqual({ outcome: 'published', to });
    expect(existsSync(join(repo.commonDir, 'hook-ran'))).toBe(false);
    expect(scratch.git('status', '--porcelain')).toBe('');
  });

  it('takes folders for files and files for folders', async () => {
    const to = land({ 'a.txt': null, 'a.txt/inner.txt': 'inner\n', 'src/c.txt': null, src: 'now a file\n' });
    expect(await go(to)).toEqual({ outcome: 'published', to });
    expect(scratch.git('status', '--porcelain')).toBe('');
  });

  it('takes names of every kind', async () => {
    const to = land({ 'with space': '1', 'new\nline': '2', 'ünï-文': '3', '-rf': '4', ':(top)x': '5' });
    expect(await go(to)).toEqual({ outcome: 'published', to });
    expect(scratch.git('status', '--porcelain')).toBe('');
  });
});

describe('publish where a local file is in the way', () => {
  const cases: Record<string, { land: Record<string, string | null>; local: () => void; paths: string[] }> = {
    modified: { land: { 'a.txt': 'A\n' }, local: () => scratch.write('a.txt', 'mine\n'), paths: ['a.txt (modified)'] },
    deleted: { land: { 'a.txt': 'A\n' }, local: () => rmSync(join(scratch.dir, 'a.txt')), paths: ['a.txt (deleted)'] },
    staged: {
      land: { 'a.txt': 'A\n' },
      local: () => {
        scratch.write('a.txt', 'mine\n');
        scratch.git('add', 'a.txt');
      },
      paths: ['a.txt (staged)'],
    },
    'staged as new': {
      land: { 'new.txt': 'new\n' },
      local: () => {
        scratch.write('new.txt', 'mine\n');
        scratch.git('add', 'new.txt');
      },
      paths: ['new.txt (staged)'],
    },
    'staged and gone from disk': {
      land: { 'new/inner.txt': 'new\n' },
      local: () => {
        scratch.write('new', 'mine\n');
        scratch.git('add', 'new');
        rmSync(join(scratch.dir, 'new'));
      },
      paths: ['new (deleted)'],
    },
    untracked: {
      land: { 'new file.txt': 'new\n' },
      local: () => scratch.write('new file.txt', 'mine\n'),
      paths: ['new file.txt (untracked)'],
    },
    ignored: {
      land: { '.env': 'THEIRS=1\n' },
      local: () => scratch.write('.env', 'MINE=1\n'),
      paths: ['.env (ignored)'],
    },
    'in an ignored folder': {
      land: { 'cache/deep/x': 'new\n' },
      local: () => scratch.write('cache/deep/x', 'mine\n'),
      paths: ['cache/deep/x (ignored)'],
    },
    'removed in the landing, modified here': {
      land: { 'gone.txt': null },
      local: () => scratch.write('gone.txt', 'mine\n'),
      paths: ['gone.txt (modified)'],
    },
    'an untracked file where a folder must be': {
      land: { 'new/inner.txt': 'x\n' },
      local: () => scratch.write('new', 'mine\n'),
      paths: ['new (untracked)'],
    },
    'an untracked link where a folder must be': {
      land: { 'new/inner.txt': 'x\n' },
      local: () => symlinkSync('src', join(scratch.dir, 'new')),
      paths: ['new (untracked)'],
    },
    'an untracked folder where a file must be': {
      land: { new: 'x\n' },
      local: () => {
        scratch.write('new/mine.txt', 'mine\n');
        scratch.write('new/mine.env', 'mine\n');
      },
      paths: ['new/mine.env (ignored)', 'new/mine.txt (untracked)'],
    },
    'an untracked file in a folder that becomes a file': {
      land: { 'src/c.txt': null, src: 'x\n' },
      local: () => scratch.write('src/mine.txt', 'mine\n'),
      paths: ['src/mine.txt (untracked)'],
    },
    'an ignored file in a folder that becomes a file': {
      land: { 'src/c.txt': null, src: 'x\n' },
      local: () => scratch.write('src/mine.env', 'mine\n'),
      paths: ['src/mine.env (ignored)'],
    },
    'an executable bit': {
      land: { 'a.txt': 'A\n' },
      local: () => chmodSync(join(scratch.dir, 'a.txt'), 0o755),
      paths: ['a.txt (modified)'],
    },
    'a name with a newline': {
      land: { 'new\nline': 'x\n' },
      local: () => scratch.write('new\nline', 'mine\n'),
      paths: ['new\nline (untracked)'],
    },
  };
  for (const [what, { land: files, local, paths }] of Object.entries(cases)) {
    it(`stops, names it and touches nothing: ${what}`, async () => {
      const to = land({ 'b.txt': 'B\n', ...files });
      local();
      const before = everything();
      expect(await go(to)).toMatchObject({
        outcome: 'blocked',
        paths,
        why: expect.stringContaining('in the way') as string,
      });
      expect(everything()).toEqual(before);
      expect(head()).toBe(base);
      expect(existsSync(join(repo.stateDir, 'publish.json'))).toBe(false);
    });
  }

  for (const flag of ['--assume-unchanged', '--skip-worktree']) {
    it(`stops for a change hidden by ${flag}`, async () => {
      const to = land({ 'a.txt': 'A\n', 'b.txt': 'B\n' });
      scratch.git('update-index', flag, 'a.txt');
      scratch.write('a.txt', 'hidden\n');
      const before = everything();
      expect(await go(to)).toMatchObject({ outcome: 'blocked', paths: ['a.txt'] });
      expect(everything()).toEqual(before);
      expect(head()).toBe(base);
      expect(existsSync(join(repo.stateDir, 'publish.json'))).toBe(false);
    });
  }

  it('goes on once the file is out of the way', async () => {
    const to = land({ 'a.txt': 'A\n' });
    scratch.write('a.txt', 'mine\n');
    expect((await go(to)).outcome).toBe('blocked');
    scratch.git('checkout', '-q', '--', 'a.txt');
    expect((await go(to)).outcome).toBe('published');
  });
});

describe('publish where somebody is at work', () => {
  it('case 19: stops at a held index.lock and leaves it', async () => {
    const to = land({ 'a.txt': 'A\n' });
    writeFileSync(join(repo.commonDir, 'index.lock'), '');
    expect(await go(to)).toMatchObject({ outcome: 'blocked', why: expect.stringContaining('index.lock') as string });
    expect(existsSync(join(repo.commonDir, 'index.lock'))).toBe(true);
    expect(head()).toBe(base);
  });

  const fails = (...args: string[]): void => {
    expect(() => scratch.git(...args)).toThrow('Command failed');
  };
  const begin: Record<string, () => void> = {
    merge: () => fails('merge', 'other'),
    rebase: () => fails('rebase', 'other'),
    'cherry-pick': () => fails('cherry-pick', 'other'),
    bisect: () => void scratch.git('bisect', 'start', 'HEAD', 'HEAD~2'),
  };
  for (const [operation, act] of Object.entries(begin)) {
    it(`stops amid a ${operation}`, async () => {
      scratch.git('checkout', '-q', '-b', 'other');
      scratch.write('b.txt', 'other\n');
      scratch.commit();
      scratch.git('checkout', '-q', 'main');
      scratch.write('b.txt', 'ours\n');
      scratch.commit();
      scratch.write('b.txt', 'ours again\n');
      const tip = scratch.commit();
      const to = land({ 'a.txt': 'A\n' });
      act();
      const before = everything();
      expect(await go(to)).toMatchObject({ outcome: 'blocked', why: expect.stringContaining(operation) as string });
      expect(everything()).toEqual(before);
      expect(head()).toBe(tip);
    });
  }

  it('stops when the branch is checked out twice', async () => {
    const to = land({ 'a.txt': 'A\n' });
    scratch.git('worktree', 'add', '-q', '-f', join(dirname(scratch.dir), 'second'), 'main');
    expect(await go(to)).toMatchObject({ outcome: 'blocked', why: expect.stringContaining('2 places') as string });
    expect(head()).toBe(base);
  });

  it('stops when the worktree on the branch is missing', async () => {
    const to = land({ 'a.txt': 'A\n' });
    scratch.git('checkout', '-q', '--detach');
    const second = join(dirname(scratch.dir), 'second');
    scratch.git('worktree', 'add', '-q', second, 'main');
    rmSync(second, { recursive: true });
    expect(await go(to)).toMatchObject({ outcome: 'blocked', why: expect.stringContaining(second) as string });
    expect(head()).toBe(base);
  });
});

describe('publish elsewhere', () => {
  it('moves only the ref of a branch that nobody has checked out', async () => {
    const to = land({ 'a.txt': 'A\n' });
    scratch.git('checkout', '-q', '-b', 'mine');
    scratch.write('a.txt', 'mine\n');
    const before = everything();
    expect(await go(to)).toEqual({ outcome: 'published', to });
    expect(everything()).toEqual(before);
    expect(head()).toBe(to);
    expect(scratch.git('reflog', '-1', '--format=%gs %gn', 'main')).toBe('paralph: publish Ada Test');
  });

  it('moves the checkout in a linked worktree, and leaves the main one', async () => {
    const to = land({ 'a.txt': 'A\n' });
    scratch.git('checkout', '-q', '-b', 'mine');
    const second = join(dirname(scratch.dir), 'second');
    scratch.git('worktree', 'add', '-q', second, 'main');
    const before = everything();
    expect(await go(to)).toEqual({ outcome: 'published', to });
    expect(everything()).toEqual(before);
    expect(readFileSync(join(second, 'a.txt'), 'utf8')).toBe('A\n');
    expect(gitIn(second, 'status', '--porcelain')).toBe('');
  });

  it('says so when the branch went its own way, or is ahead, or is not there', async () => {
    const to = land({ 'a.txt': 'A\n' });
    scratch.write('b.txt', 'mine\n');
    const mine = sha(scratch.commit());
    expect(await go(to)).toEqual({ outcome: 'diverged', now: mine });
    expect(await go(base)).toEqual({ outcome: 'current' });
    expect(head()).toBe(mine);
    await expect(publish(repo, view, { target: 'absent', to })).rejects.toMatchObject({ code: 'E_NO_TARGET' });
  });
});

describe('publish where a loop has worked in place', () => {
  const write = (name: string, content: string): void => writeFileSync(join(scratch.dir, name), content);
  const read = (name: string): string => readFileSync(join(scratch.dir, name), 'utf8');

  it('takes files that are what is published, staged or not, new, changed or gone, and touches nothing else', async () => {
    const to = land({ 'a.txt': 'landed\n', 'b.txt': 'landed too\n', 'new/file.txt': 'new\n', 'gone.txt': null });
    write('a.txt', 'landed\n');
    write('b.txt', 'landed too\n');
    scratch.git('add', 'b.txt');
    mkdirSync(join(scratch.dir, 'new'));
    write('new/file.txt', 'new\n');
    rmSync(join(scratch.dir, 'gone.txt'));
    write('src/c.txt', 'mine\n');
    const before = lstatSync(join(scratch.dir, 'a.txt')).mtimeMs;
    expect(await go(to)).toEqual({ outcome: 'published', to });
    expect(scratch.git('status', '--porcelain')).toBe('M src/c.txt');
    expect(lstatSync(join(scratch.dir, 'a.txt')).mtimeMs).toBe(before);
  });

  it('replaces files that hold what the published history holds', async () => {
    land({ 'a.txt': 'first try\n' });
    const to = land({ 'a.txt': 'second try\n' });
    write('a.txt', 'first try\n');
    expect(await go(to)).toEqual({ outcome: 'published', to });
    expect(read('a.txt')).toBe('second try\n');
    expect(scratch.git('status', '--porcelain')).toBe('');
  });

  it("stops for one file that is the user's, and leaves index and files as they were", async () => {
    land({ 'a.txt': 'first try\n' });
    const to = land({ 'a.txt': 'second try\n', 'b.txt': 'landed\n' });
    write('a.txt', 'first try\n');
    write('b.txt', 'mine\n');
    const index = scratch.git('ls-files', '-s');
    expect(await go(to)).toMatchObject({ outcome: 'blocked', paths: ['b.txt (modified)'] });
    expect([read('a.txt'), read('b.txt')]).toEqual(['first try\n', 'mine\n']);
    expect(scratch.git('ls-files', '-s')).toBe(index);
  });
});

it('moves no branch that its owner has switched to while it was prepared', async () => {
  const to = land({ 'new.txt': 'new\n' });
  scratch.write('.git/info/attributes', 'b.txt filter=slow\n');
  scratch.write('.git/slow', 'test -e .git/was || { touch .git/was; git switch -q -c theirs; }\ncat\n');
  scratch.git('config', 'filter.slow.clean', 'sh .git/slow');
  // So that git looks into it.
  utimesSync(join(scratch.dir, 'b.txt'), 1, 1);
  expect(await go(to)).toMatchObject({ outcome: 'blocked' });
  expect([scratch.git('rev-parse', 'theirs'), existsSync(join(scratch.dir, 'new.txt'))]).toEqual([base, false]);
  expect(await go(to)).toEqual({ outcome: 'published', to });
});
