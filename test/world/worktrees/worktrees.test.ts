import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import type { Repository } from '../../../src/world/git/run/repository.ts';
import { LOCK_REASON } from '../../../src/world/worktrees/loop-notes.ts';
import { healWorktreeEntries } from '../../../src/world/keep/heal-entries.ts';
import { addWorktree, listWorktrees, removeWorktree } from '../../../src/world/worktrees/worktrees.ts';
import { type Bundled, bundleChild, until } from '../bundled-child.ts';
import { type ScratchRepo, gitIn, plainEnvironment, scratchRepo } from '../scratch.ts';

let scratch: ScratchRepo;
let repo: Repository;
let root: string;
let base: Sha;
beforeEach(() => {
  scratch = scratchRepo({ files: { 'a.txt': 'a\n', 'src/b.txt': 'b\n' } });
  repo = findRepository(scratch.dir);
  root = join(dirname(scratch.dir), 'trees');
  base = sha(scratch.git('rev-parse', 'HEAD'));
});
afterEach(() => scratch.remove());

const add = (name: string, branch = `ralph/${name}`): Promise<void> =>
  addWorktree(repo, { path: join(root, name), branch, base, reason: LOCK_REASON });
const names = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe('addWorktree', () => {
  it('makes a locked worktree on a branch of its own', async () => {
    await add('one');
    const made = (await listWorktrees(repo)).find((worktree) => worktree.branch === 'ralph/one');
    expect(made).toEqual({
      path: join(root, 'one'),
      head: base,
      branch: 'ralph/one',
      locked: LOCK_REASON,
      prunable: false,
    });
    expect(readFileSync(join(root, 'one/src/b.txt'), 'utf8')).toBe('b\n');
    expect(gitIn(join(root, 'one'), 'status', '--porcelain')).toBe('');
    expect(scratch.git('config', '--list')).not.toContain('branch.');
  });

  it('case 1: makes 100 at once', async () => {
    await Promise.all(names(100, 'w').map((name) => add(name)));
    expect(await listWorktrees(repo)).toHaveLength(101);
    for (const name of names(100, 'w')) expect(readFileSync(join(root, name, 'src/b.txt'), 'utf8')).toBe('b\n');
    for (const name of names(10, 'w')) expect(gitIn(join(root, name), 'status', '--porcelain')).toBe('');
    expect(readdirSync(join(repo.stateDir, 'half-made'))).toEqual([]);
  });

  it('survives a folder with spaces and unicode in its name', async () => {
    await add('ein Bäumchen\nzwei', 'ralph/tree');
    expect((await listWorktrees(repo)).map((worktree) => worktree.path)).toContain(join(root, 'ein Bäumchen\nzwei'));
  });

  it('case 7: uses a branch that an earlier try left at the base', async () => {
    scratch.git('branch', 'ralph/one');
    await add('one');
    expect(gitIn(join(root, 'one'), 'symbolic-ref', '--short', 'HEAD')).toBe('ralph/one');
  });

  it('case 6: refuses a branch that is elsewhere, and leaves it there', async () => {
    scratch.write('c.txt', 'c');
    const elsewhere = scratch.commit();
    scratch.git('branch', 'ralph/one', elsewhere);
    await expect(add('one')).rejects.toMatchObject({
      code: 'E_GIT',
      message: expect.stringContaining('ralph/one') as string,
    });
    expect(scratch.git('rev-parse', 'ralph/one')).toBe(elsewhere);
    expect(existsSync(join(root, 'one'))).toBe(false);
  });

  it('refuses a branch at the base that another worktree stands on, and leaves both', async () => {
    await add('one');
    await expect(add('two', 'ralph/one')).rejects.toMatchObject({ code: 'E_GIT' });
    expect(existsSync(join(root, 'two'))).toBe(false);
    expect(scratch.git('rev-parse', 'ralph/one')).toBe(base);
    expect(gitIn(join(root, 'one'), 'status', '--porcelain')).toBe('');
  });

  it('case 8: refuses a folder that holds something, and deletes nothing', async () => {
    mkdirSync(join(root, 'one'), { recursive: true });
    writeFileSync(join(root, 'one/mine.txt'), 'mine');
    await expect(add('one')).rejects.toMatchObject({
      code: 'E_GIT',
      message: expect.stringContaining('not empty') as string,
    });
    expect(readFileSync(join(root, 'one/mine.txt'), 'utf8')).toBe('mine');
    expect(scratch.git('branch', '--list', 'ralph/*')).toBe('');
  });

  it('case 9: leaves the entry of a worktree whose folder is away', async () => {
    await add('one');
    rmSync(join(root, 'one'), { recursive: true });
    await expect(add('one', 'ralph/other')).rejects.toMatchObject({
      code: 'E_GIT',
      message: expect.stringContaining('missing') as string,
    });
    scratch.git('worktree', 'prune');
    expect((await listWorktrees(repo)).map((worktree) => worktree.branch)).toContain('ralph/one');
  });

  it('takes back everything when the checkout fails', async () => {
    scratch.write('.gitattributes', '*.txt filter=absent\n');
    scratch.git('config', 'filter.absent.smudge', 'false');
    scratch.git('config', 'filter.absent.required', 'true');
    scratch.git('config', 'filter.absent.clean', 'cat');
    base = sha(scratch.commit());
    await expect(add('one')).rejects.toMatchObject({ code: 'E_GIT' });
    expect(existsSync(join(root, 'one'))).toBe(false);
    expect(await listWorktrees(repo)).toHaveLength(1);
    expect(scratch.git('branch', '--list', 'ralph/*')).toBe('');
  });
});

describe('removeWorktree', () => {
  it('removes the folder and the entry, not the branch', async () => {
    await add('one');
    await removeWorktree(repo, { path: join(root, 'one'), worktreeRoot: root });
    expect(existsSync(join(root, 'one'))).toBe(false);
    expect(await listWorktrees(repo)).toHaveLength(1);
    expect(scratch.git('rev-parse', 'ralph/one')).toBe(base);
    await removeWorktree(repo, { path: join(root, 'one'), worktreeRoot: root });
  });

  it('refuses what is not below the root, also through a symlink', async () => {
    await add('one');
    const other = join(dirname(root), 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'mine.txt'), 'mine');
    symlinkSync(other, join(root, 'link'));
    for (const path of [
      other,
      root,
      join(root, '..', 'other'),
      join(root, 'link'),
      join(root, 'link', 'mine.txt'),
      scratch.dir,
    ]) {
      await expect(removeWorktree(repo, { path, worktreeRoot: root })).rejects.toMatchObject({ code: 'E_GIT' });
    }
    expect(readFileSync(join(other, 'mine.txt'), 'utf8')).toBe('mine');
    expect(existsSync(join(scratch.dir, 'a.txt'))).toBe(true);
  });

  it('removes 8 while 8 are made', async () => {
    await Promise.all(names(8, 'old').map((name) => add(name)));
    const removing = names(8, 'old').map((name) =>
      removeWorktree(repo, { path: join(root, name), worktreeRoot: root }),
    );
    await Promise.all([...removing, ...names(8, 'new').map((name) => add(name))]);
    expect(await listWorktrees(repo)).toHaveLength(9);
    expect(scratch.git('fsck', '--no-dangling')).toBe('');
  });
});

describe('with other processes', () => {
  let adder: Bundled;
  beforeAll(async () => {
    adder = await bundleChild(`
      import { join } from 'node:path';
      import { findRepository } from 'src/world/git/run/repository.ts';
      import { addWorktree } from 'src/world/worktrees/worktrees.ts';
      const [dir, root, base, prefix, count] = process.argv.slice(2);
      const repo = findRepository(dir);
      await Promise.all(Array.from({ length: Number(count) }, (_, at) => {
        const name = prefix + at;
        return addWorktree(repo, { path: join(root, name), branch: 'ralph/' + name, base, reason: 'paralph worktree' });
      }));
    `);
  });
  afterAll(() => adder.remove());

  it('case 2: two processes beside 20 strangers who do not know the mutex', async () => {
    const [go, folder] = [join(dirname(root), 'go'), join(dirname(root), 'foreign')];
    mkdirSync(folder);
    // A stranger does not know how to wait, so its adds may fail; what it made is there for good.
    const stranger = `while [ ! -e "$1" ]; do sleep 0.02; done; at=0; made=0
      while [ $at -lt 2 ]; do at=$((at + 1))
        git worktree add -q --no-checkout -b "theirs/$3-$at" "$2-$at" 2>/dev/null && made=$((made + 1)) && echo mine > "$2-$at/mine.txt"
        git rev-parse -q --verify "refs/heads/theirs/$3-$at" > /dev/null && left="$left theirs/$3-$at"
      done; echo $made $left`;
    const strangers = names(20, 's').map((name) => {
      const argv = ['-c', stranger, 'sh', go, join(folder, name), name];
      const child = spawn('sh', argv, {
        cwd: scratch.dir,
        env: plainEnvironment(),
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      return text(child.stdout);
    });
    writeFileSync(go, '');
    await Promise.all(['p', 'q'].map((prefix) => adder.start(scratch.dir, root, base, prefix, '8').output));
    const told = (await Promise.all(strangers)).map((line) => line.trim().split(' '));
    const made = told.reduce((sum, [count]) => sum + Number(count), 0);
    const all = await listWorktrees(repo);
    expect(all.filter(({ path }) => path.startsWith(`${root}/`))).toHaveLength(16);
    for (const { path } of all.filter(({ branch }) => branch?.startsWith('ralph/')))
      expect(gitIn(path, 'status', '--porcelain')).toBe('');
    const foreign = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'mine.txt')));
    expect(foreign).toHaveLength(made);
    for (const name of foreign) expect(all.map(({ path }) => path)).toContain(join(folder, name));
    expect(await healWorktreeEntries(repo)).toEqual({ takenBack: [], quarantined: [] });
    // A git that loses the race leaves its branch behind.
    const left = told.flatMap(([, ...branches]) => branches).sort();
    expect(left.length).toBeGreaterThanOrEqual(made);
    expect(scratch.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/theirs').split('\n').sort()).toEqual(
      left,
    );
  });

  it('a killed add is taken back and made again', async () => {
    for (let at = 0; at < 400; at += 1) scratch.write(`many/${at}.txt`, `${at}\n`.repeat(200));
    base = sha(scratch.commit());
    // Each round lets it live a little longer, so that it dies in different places.
    for (let round = 0; round < 5; round += 1) {
      const { child, output } = adder.start(scratch.dir, root, base, `k${round}-`, '1');
      const note = join(repo.stateDir, 'half-made');
      await until(
        'begun',
        () => child.exitCode !== null || (existsSync(note) && readdirSync(note).some((name) => name.endsWith('.json'))),
      );
      const stop = performance.now() + round * 20;
      await until('its time has come', () => performance.now() >= stop);
      child.kill('SIGKILL');
      await output.catch(() => {});
      await add(`k${round}-0`).catch((error: Error) => {
        // It was quick enough to finish, and what is finished is nobody's to take back.
        expect(error.message).toContain('not empty');
      });
      expect(gitIn(join(root, `k${round}-0`), 'status', '--porcelain')).toBe('');
    }
    expect(await listWorktrees(repo)).toHaveLength(6);
    expect(readdirSync(join(repo.stateDir, 'half-made'))).toEqual([]);
  });
});

describe('healWorktreeEntries', () => {
  const entryOf = (name: string): string => join(repo.commonDir, 'worktrees', name);

  it('removes what a dead process began: folder, entry, unmoved branch', async () => {
    await add('one');
    const note = {
      path: join(root, 'one'),
      branch: 'ralph/one',
      base,
      createsBranch: true,
      by: { pid: 1, startTime: '0', bootId: 'gone' },
    };
    writeFileSync(join(repo.stateDir, 'half-made', 'x.json'), JSON.stringify(note));
    writeFileSync(join(entryOf('one'), 'commondir'), '');
    const path = join(root, 'one');
    expect((await healWorktreeEntries(repo)).takenBack).toEqual([{ path, stays: false, kept: null }]);
    expect(existsSync(join(root, 'one'))).toBe(false);
    expect(await listWorktrees(repo)).toHaveLength(1);
    expect(scratch.git('branch', '--list', 'ralph/*')).toBe('');
  });

  it('keeps a branch that moved, though its worktree was never finished', async () => {
    await add('one');
    gitIn(
      join(root, 'one'),
      '-c',
      'user.name=x',
      '-c',
      'user.email=x@y',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'work',
    );
    const note = {
      path: join(root, 'one'),
      branch: 'ralph/one',
      base,
      createsBranch: true,
      by: { pid: 1, startTime: '0', bootId: 'gone' },
    };
    writeFileSync(join(repo.stateDir, 'half-made', 'x.json'), JSON.stringify(note));
    await healWorktreeEntries(repo);
    expect(scratch.git('log', '-1', '--format=%s', 'ralph/one')).toBe('work');
  });

  it('moves a broken entry of ours aside, without git', async () => {
    await add('one');
    writeFileSync(join(entryOf('one'), 'commondir'), '');
    const { quarantined } = await healWorktreeEntries(repo);
    expect(quarantined).toHaveLength(1);
    expect(existsSync(join(quarantined[0] ?? '', 'index'))).toBe(true);
    expect(await listWorktrees(repo)).toHaveLength(1);
    expect(existsSync(join(root, 'one/a.txt'))).toBe(true);
  });

  it('leaves a broken entry of somebody else alone', async () => {
    scratch.git('worktree', 'add', '-q', '--detach', join(dirname(root), 'foreign'));
    writeFileSync(join(entryOf('foreign'), 'HEAD'), `${'0'.repeat(40)}\n`);
    expect(await healWorktreeEntries(repo)).toEqual({ takenBack: [], quarantined: [] });
    expect(existsSync(entryOf('foreign'))).toBe(true);
  });
});
