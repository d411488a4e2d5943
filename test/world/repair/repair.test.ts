import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loopId, sha, taskId, taskKey } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { EMPTY_STATE } from '../../../src/core/model/model.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import { openView } from '../../../src/world/git/run/view.ts';
import { retireWorktree, takeWorktree } from '../../../src/world/worktrees/worktree-pool.ts';
import { writeLoopNote } from '../../../src/world/worktrees/loop-notes.ts';
import { bareRepair } from '../../../src/world/repair/bare.ts';
import { entriesRepair } from '../../../src/world/repair/entries.ts';
import { gitLocksRepair } from '../../../src/world/repair/git-locks.ts';
import type { Repair, RepairPlace } from '../../../src/world/repair/repair.ts';
import { firstRepairs, fixAll, laterRepairs } from '../../../src/world/repair/repairs.ts';
import { until } from '../../e2e/harness/until.ts';
import { gitIn, scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

let scratch: ScratchRepo;
let place: RepairPlace;
let base: Sha;
let mine = '';
beforeEach(() => {
  scratch = scratchRepo();
  place = { repo: findRepository(scratch.dir), worktreeRoot: join(dirname(scratch.dir), 'worktrees') };
  base = sha(scratch.git('rev-parse', 'HEAD'));
  // What the user has beside us, of every kind.
  mine = join(dirname(scratch.dir), 'mine');
  scratch.git('worktree', 'add', '-q', '-b', 'ralph/by-hand', mine);
  scratch.write('README.md', 'changed\n');
  scratch.git('stash', '-q');
  scratch.write('.git/hooks/pre-commit', '#!/bin/sh\nexit 0\n');
});
afterEach(() => scratch.remove());

/** A worktree of ours with its note. */
async function ours(name: string): Promise<{ readonly path: string; readonly entry: string }> {
  const branch = `ralph/${name}`;
  const { path } = await takeWorktree(place.repo, { branch, base, name, worktreeRoot: place.worktreeRoot });
  const task = taskKey('PRD.md', taskId(name));
  writeLoopNote(place.repo, path, { loop: loopId(name), task, title: name, attempt: 1, branch, base });
  return { path, entry: join(scratch.dir, '.git/worktrees', name) };
}

/** Every file of the user's below `.git`, with content and age. */
function theirs(): Record<string, string> {
  const top = join(scratch.dir, '.git');
  const isOurs =
    /^(paralph|refs\/paralph|logs|objects|refs\/heads\/ralph\/(?!by-hand|users)|worktrees\/(?!mine|guest|half|null))/;
  return Object.fromEntries(
    readdirSync(top, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !isOurs.test(relative(top, path)))
      .map((path) => [relative(top, path), `${statSync(path).mtimeMs} ${readFileSync(path, 'latin1')}`]),
  );
}

const broken = (name: string, files: Readonly<Record<string, string>>): string => {
  const entry = join(scratch.dir, '.git/worktrees', name);
  mkdirSync(entry, { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(entry, file), content);
  return entry;
};

const remedies = async (repair: Repair): Promise<(string | null)[]> =>
  (await repair.look()).filter((one) => one.fixable !== true).map((one) => one.remedy);

describe('broken worktree entries', () => {
  it('case 4: ours are mended or moved away without git; a foreign one is named with the command that helps', async () => {
    const [one, two] = [await ours('one'), await ours('two')];
    writeFileSync(join(two.path, 'work.txt'), 'uncommitted\n');
    for (const { entry } of [one, two]) writeFileSync(join(entry, 'commondir'), '');
    rmSync(join(one.entry, 'paralph.json'));
    // Cut short before its lock was written; only where it was to be tells whose it is.
    broken('early', { commondir: '', gitdir: `${join(place.worktreeRoot, 'early', '.git')}\n` });
    const half = broken('half', { commondir: '', HEAD: `${base}\n`, gitdir: '/nowhere/.git\n', locked: 'a stick' });
    const before = theirs();
    const repair = entriesRepair(place);
    expect((await repair.look()).filter((finding) => finding.fixable === true)).toHaveLength(3);
    const done = await repair.fix();
    expect([...done].sort()).toEqual([
      expect.stringMatching(/^mended .*two: commondir is empty$/),
      expect.stringMatching(/^moved .*quarantine/),
      expect.stringMatching(/^moved .*quarantine/),
    ]);
    expect(theirs()).toEqual(before);
    expect(await remedies(repair)).toEqual([`mv ${half} ${join(scratch.dir, '.git/broken-worktree-half')}`]);
    expect(() => scratch.git('worktree', 'list')).toThrow(/commondir/);
    rmSync(half, { recursive: true });
    expect(scratch.git('worktree', 'list')).toContain('two');
    expect(gitIn(two.path, 'status', '--porcelain')).toBe('?? work.txt');
    expect(await repair.look()).toEqual([]);
    expect(await repair.fix()).toEqual([]);
  });

  it('an entry that somebody is making at this moment is not told of', async () => {
    const zero = `${'0'.repeat(40)}\n`;
    const entry = broken('theirs', {
      HEAD: zero,
      commondir: '../..\n',
      gitdir: '/nowhere/.git\n',
      locked: 'initializing',
    });
    const looked = entriesRepair(place).look();
    writeFileSync(join(entry, 'HEAD'), `${base}\n`);
    expect(await looked).toEqual([]);
    writeFileSync(join(entry, 'HEAD'), zero);
    expect(await entriesRepair(place).look()).toEqual([expect.objectContaining({ level: 'fail' })]);
  });

  it('case 5: a HEAD that names no commit is put back on its branch, and fetch works', async () => {
    const one = await ours('one');
    const zero = `${'0'.repeat(40)}\n`;
    writeFileSync(join(one.entry, 'HEAD'), zero);
    expect(() => scratch.git('fetch', '-q', '.', 'main:refs/heads/copy')).toThrow();
    const foreign = broken('null', { HEAD: zero, commondir: '../..\n', gitdir: '/nowhere/.git\n' });
    mkdirSync(join(place.repo.stateDir, 'log'), { recursive: true });
    const before = theirs();
    expect(await fixAll(firstRepairs(place, { isThorough: false }))).toEqual([
      expect.stringMatching(/^mended .*one: HEAD names no commit$/),
    ]);
    expect(theirs()).toEqual(before);
    rmSync(foreign, { recursive: true });
    scratch.git('fetch', '-q', '.', 'main:refs/heads/copy');
    expect(gitIn(one.path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('ralph/one');
  });
});

describe('locks', () => {
  it('ours go when nobody holds them; the user\u2019s stay and are named with their age', async () => {
    const { path, entry } = await ours('one');
    const busy = await ours('busy');
    scratch.git('worktree', 'add', '-q', '--detach', join(place.worktreeRoot, 'guest'));
    const git = join(scratch.dir, '.git');
    mkdirSync(join(git, 'refs/paralph/int'), { recursive: true });
    const stale = [
      join(git, 'refs/paralph/int/main.lock'),
      join(git, 'refs/heads/ralph/one.lock'),
      join(entry, 'index.lock'),
    ];
    const held = join(busy.entry, 'index.lock');
    const foreign = [
      'index.lock',
      'packed-refs.lock',
      'config.lock',
      'refs/heads/main.lock',
      'refs/heads/ralph/users.lock',
    ];
    const foreignPaths = [
      ...foreign.map((name) => join(git, name)),
      join(git, 'worktrees/mine/index.lock'),
      join(git, 'worktrees/guest/index.lock'),
    ];
    for (const lock of [...stale, held, ...foreignPaths]) {
      writeFileSync(lock, 'x');
      utimesSync(lock, 1e9, 1e9);
    }
    const before = theirs();
    const agent = spawn('sleep', ['60'], {
      cwd: '/',
      stdio: 'ignore',
      env: { ...process.env, RALPH_TOKEN: 'tok-1', RALPH_LOOP_ID: 'busy', RALPH_WORKTREE: busy.path },
    });
    const committer = spawn('git', ['hash-object', '--stdin'], { cwd: path, stdio: ['pipe', 'ignore', 'ignore'] });
    await until('the git that stands there', () => existsSync(`/proc/${committer.pid}/cwd`));
    const repair = gitLocksRepair(place);
    expect([...(await repair.fix())].sort()).toEqual(
      stale
        .slice(0, 2)
        .map((lock) => `removed the stale lock ${lock}`)
        .sort(),
    );
    committer.stdin.end();
    await new Promise((resolve) => committer.on('close', resolve));
    expect(await repair.fix()).toEqual([`removed the stale lock ${stale[2]}`]);
    expect(existsSync(held)).toBe(true);
    agent.kill();
    await new Promise((resolve) => agent.on('close', resolve));
    expect(await repair.fix()).toEqual([`removed the stale lock ${held}`]);
    expect(theirs()).toEqual(before);
    const told = await repair.look();
    expect(told.map(({ message }) => message).join('\n')).toContain('2001-09-09');
    expect(told.map(({ remedy }) => remedy?.split(/ +/)[1] ?? '').sort()).toEqual(
      foreign.map((name) => join(git, name)).sort(),
    );
  });
});

describe('core.bare', () => {
  it('flipped beside a checkout is put back, and nothing else in the config changes', async () => {
    const before = readFileSync(join(scratch.dir, '.git/config'), 'utf8');
    expect(await bareRepair(place).look()).toEqual([]);
    scratch.git('config', 'core.bare', 'true');
    expect(() => scratch.git('status')).toThrow(/work tree/);
    expect(findRepository(scratch.dir)).toEqual(place.repo);
    expect(await fixAll([bareRepair(place)])).toHaveLength(1);
    expect(readFileSync(join(scratch.dir, '.git/config'), 'utf8')).toBe(before);
    expect(scratch.git('status', '--porcelain')).toBe('');
  });

  it('a bare repository that calls itself .git stays bare, and a core.worktree elsewhere is only named', async () => {
    const outer = join(dirname(scratch.dir), 'bare');
    gitIn(dirname(scratch.dir), 'clone', '-q', '--bare', scratch.dir, join(outer, '.git'));
    const bare = { ...place, repo: findRepository(outer) };
    expect(await fixAll([bareRepair(bare)])).toEqual([]);
    expect(gitIn(outer, 'rev-parse', '--is-bare-repository')).toBe('true');
    scratch.git('config', 'core.worktree', mine);
    const config = readFileSync(join(scratch.dir, '.git/config'));
    expect(await fixAll([bareRepair(place)])).toEqual([]);
    expect(readFileSync(join(scratch.dir, '.git/config'))).toEqual(config);
    const [remedy] = await remedies(bareRepair(place));
    expect(remedy).toBe(`git config --file ${join(scratch.dir, '.git/config')} --unset core.worktree`);
  });
});

describe('what is left over', () => {
  it('deleted folders, branches that landed, litter: ours goes, what is unlanded or not ours stays', async () => {
    const { repo, worktreeRoot } = place;
    const [gone, pooled, landed, open] = [
      await ours('gone'),
      await ours('pooled'),
      await ours('landed'),
      await ours('open'),
    ];
    const lost = await ours('lost');
    gitIn(gone.path, 'checkout', '-q', '--detach');
    gitIn(gone.path, 'commit', '-q', '--allow-empty', '-m', 'only here');
    const only = gitIn(gone.path, 'rev-parse', 'HEAD');
    gitIn(pooled.path, 'checkout', '-q', '--detach');
    await retireWorktree(repo, { path: pooled.path, worktreeRoot });
    for (const { path } of [landed, open]) gitIn(path, 'commit', '-q', '--allow-empty', '-m', `work in ${path}`);
    const [landedTip, openTip] = ['landed', 'open'].map((name) => scratch.git('rev-parse', `ralph/${name}`));
    for (const [ref, commit] of Object.entries({
      'int/main': landedTip,
      'keep/landed/x': landedTip,
      'keep/open/x': openTip,
    }))
      scratch.git('update-ref', `refs/paralph/${ref}`, commit ?? '');
    rmSync(lost.path, { recursive: true });
    for (const { path, entry } of [gone, pooled, landed, open]) {
      rmSync(path, { recursive: true });
      rmSync(join(entry, 'paralph.json'));
    }
    rmSync(mine, { recursive: true });
    mkdirSync(join(repo.stateDir, 'locks'), { recursive: true });
    writeFileSync(join(repo.stateDir, 'locks/worktrees'), JSON.stringify({ pid: 1, startTime: '0', bootId: 'gone' }));
    writeFileSync(join(repo.stateDir, 'locks/x.tmp-1'), JSON.stringify({ pid: 1, startTime: '0', bootId: 'gone' }));
    mkdirSync(join(repo.stateDir, 'tmp'), { recursive: true });
    for (const name of ['index-old', 'index-new']) writeFileSync(join(repo.stateDir, 'tmp', name), '');
    utimesSync(join(repo.stateDir, 'tmp/index-old'), 1e9, 1e9);
    mkdirSync(join(repo.stateDir, 'log'));
    const before = theirs();
    const identity = { name: 'Ada', email: 'ada@example.test' };
    const keep = async () => ({ repo, view: await openView(repo), identity, ignored: [] });
    const repairs = laterRepairs(place, EMPTY_STATE, keep);
    const done = (await fixAll(repairs)).join('\n');
    expect(theirs()).toEqual(before);
    for (const path of [gone.entry, pooled.entry, landed.entry, open.entry]) expect(existsSync(path)).toBe(false);
    // Its note is all that tells of a loop the log does not know.
    expect(existsSync(lost.entry)).toBe(true);
    expect(scratch.git('branch', '--list', '--format=%(refname:short)').split('\n')).toEqual([
      'main',
      'ralph/by-hand',
      'ralph/gone',
      'ralph/lost',
      'ralph/open',
      'ralph/pooled',
    ]);
    expect(done).toContain(landedTip);
    const kept = /kept as (\S+)/.exec(done)?.[1] ?? '';
    expect(scratch.git('merge-base', '--is-ancestor', only, kept)).toBe('');
    expect(readdirSync(join(repo.stateDir, 'tmp'))).toEqual(['index-new']);
    expect(readdirSync(join(repo.stateDir, 'locks')).filter((name) => !name.startsWith('.'))).toEqual([]);
    expect(existsSync(join(scratch.dir, '.ralph/.gitignore'))).toBe(true);
    const left = (await Promise.all(repairs.map(async (repair) => repair.look()))).flat();
    expect(
      left.map(({ check, fixable, message }) => [check, fixable === true, /ralph\/\w+/.exec(message)?.[0]]),
    ).toEqual([
      ['branches', false, 'ralph/open'],
      ['loops', true, 'ralph/lost'],
    ]);
  });
});
