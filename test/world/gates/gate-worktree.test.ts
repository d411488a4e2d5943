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
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { gateSlotOf, openGateWorktrees } from '../../../src/world/gates/gate-worktree.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import type { GateWorktrees } from '../../../src/world/contract/world.ts';
import type { Repository } from '../../../src/world/git/run/repository.ts';
import { identityOf, isStopped } from '../../../src/world/processes/identity.ts';
import { until } from '../../e2e/harness/until.ts';
import { provisions } from '../provisions.ts';
import { gitIn, scratchRepo } from '../scratch.ts';
import type { ScratchRepo } from '../scratch.ts';

let scratch: ScratchRepo;
let repo: Repository;
let root = '';
let gates: GateWorktrees;
let first: Sha;
let second: Sha;
beforeEach(() => {
  scratch = scratchRepo({
    files: {
      'a.txt': 'one\n',
      'src/deep/b.txt': 'b\n',
      'run.sh': '#!/bin/sh\n',
      'plain/c.txt': 'c\n',
      '.gitignore': 'modules/\n*.cache\n',
    },
  });
  first = sha(scratch.git('rev-parse', 'HEAD'));
  scratch.write('a.txt', 'two\n');
  scratch.write('src/new.txt', 'new\n');
  second = sha(scratch.commit('second'));
  repo = findRepository(scratch.dir);
  root = join(dirname(scratch.dir), 'wt');
  gates = openGateWorktrees(repo, root, provisions({ keep: ['modules', '*.cache'] }));
});
afterEach(() => scratch.remove());

const at = <T>(commit: Sha, act: (path: string) => T | Promise<T>): Promise<T> =>
  gates.withWorktree(commit, async (path) => act(path));

/** Every path but ignored ones with its kind, mode and content, as a gate sees them. */
function filesIn(path: string, below = ''): string[] {
  return readdirSync(join(path, below), { withFileTypes: true })
    .flatMap((entry) => {
      const name = join(below, entry.name);
      if (name === '.git' || name === 'modules' || name.endsWith('.cache')) return [];
      const mode = (statSync(join(path, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
      if (entry.isDirectory()) return [`${name}/ ${mode.toString(8)}`, ...filesIn(path, name)];
      if (entry.isSymbolicLink()) return [`${name} -> link`];
      return [`${name} ${mode.toString(8)} ${readFileSync(join(path, name), 'utf8')}`];
    })
    .sort();
}

const standsAt = (path: string): string[] => [
  gitIn(path, 'rev-parse', 'HEAD'),
  gitIn(path, 'status', '--porcelain=v1'),
  readFileSync(join(gitIn(path, 'rev-parse', '--absolute-git-dir'), 'HEAD'), 'utf8').trim(),
];

describe('dropWorktrees', () => {
  it('takes away what this process has made and nobody uses, and nothing else', async () => {
    await at(first, () =>
      openGateWorktrees(repo, root, provisions({ keep: ['modules', '*.cache'] })).withWorktree(
        first,
        async () => undefined,
      ),
    );
    expect(readdirSync(root)).toEqual(['gate-1', 'gate-2']);
    await at(first, () => gates.dropWorktrees());
    expect(existsSync(join(root, 'gate-1')), 'while gates run').toBe(true);
    await gates.dropWorktrees();
    expect(readdirSync(root), "another's").toEqual(['gate-2']);
    expect(gitIn(repo.root, 'worktree', 'list').split('\n')).toHaveLength(2);
    await at(second, (path) => expect(standsAt(path)).toEqual([second, '', second]));
  });
});

describe('withWorktree', () => {
  it('stands detached at exactly the commit, and keeps what is ignored', async () => {
    await at(first, (path) => {
      expect(path).toBe(join(root, 'gate-1'));
      expect(standsAt(path)).toEqual([first, '', first]);
      expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('one\n');
      mkdirSync(join(path, 'modules'));
      writeFileSync(join(path, 'modules/x'), 'installed');
    });
    await at(second, (path) => {
      expect(standsAt(path)).toEqual([second, '', second]);
      expect(readFileSync(join(path, 'src/new.txt'), 'utf8')).toBe('new\n');
      expect(readFileSync(join(path, 'modules/x'), 'utf8')).toBe('installed');
    });
    await at(first, (path) => expect(existsSync(join(path, 'src/new.txt'))).toBe(false));
  });

  it('gives each run a worktree of its own, at the same time', async () => {
    let open = (): void => {};
    const both = new Promise<void>((resolve) => (open = resolve));
    const seen = await Promise.all([
      at(first, async (path) => (await both, [path, ...standsAt(path)])),
      at(second, (path) => (open(), [path, ...standsAt(path)])),
    ]);
    expect(seen.map(([, ...stands]) => stands)).toEqual([
      [first, '', first],
      [second, '', second],
    ]);
    // Who comes first is a matter of luck.
    expect(seen.map(([path = '']) => path).toSorted()).toEqual([join(root, 'gate-1'), join(root, 'gate-2')]);
    expect(new Set(seen.map(([path = '']) => gateSlotOf(path)))).toEqual(new Set([1, 2]));
    expect([gateSlotOf('/x/wt'), gateSlotOf('/x/gate-273'), gateSlotOf('/x/gate-0')]).toEqual([null, null, null]);
  });

  it('lets one gate at a time into each, also from another process', async () => {
    const inside = new Set<string>();
    const enter = (commit: Sha) =>
      openGateWorktrees(repo, root, provisions({ keep: ['modules', '*.cache'] })).withWorktree(commit, async (path) => {
        expect(inside.has(path)).toBe(false);
        inside.add(path);
        await new Promise((resolve) => setImmediate(resolve));
        expect(gitIn(path, 'rev-parse', 'HEAD')).toBe(commit);
        inside.delete(path);
      });
    await Promise.all([first, second, first, second].map(enter));
  });

  it('case 66: does not wait for a host that is suspended in one, or while it looks for one, and leaves it to that one', async () => {
    const host = spawn('sleep', ['600'], { stdio: 'ignore' });
    onTestFinished(() => void host.kill('SIGKILL'));
    host.kill('SIGSTOP');
    const identity = identityOf(host.pid ?? 0);
    if (identity === null) throw new Error('it did not start');
    await until('it to be suspended', () => isStopped(identity));
    const lock = join(repo.stateDir, 'locks/gate-1');
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, JSON.stringify({ ...identity, nonce: 'x' }));
    expect(await at(first, (path) => path)).toBe(join(root, 'gate-2'));
    writeFileSync(`${lock}.turn`, JSON.stringify({ ...identity, nonce: 'y' }));
    expect(await at(first, (path) => path)).toBe(join(root, 'gate-2'));
    expect(readFileSync(lock, 'utf8')).toContain(String(host.pid));
    host.kill('SIGKILL');
    await until('it to be gone', () => identityOf(host.pid ?? 0) === null);
    expect(await at(first, (path) => path)).toBe(join(root, 'gate-1'));
  });

  it('does not write a file again that nobody touched', async () => {
    const inode = (path: string) => statSync(join(path, 'plain/c.txt')).ino;
    const before = await at(first, inode);
    expect(await at(first, inode)).toBe(before);
    expect(await at(second, inode)).toBe(before);
  });

  it('takes a folder of its own name only if it was its own', async () => {
    mkdirSync(join(root, 'gate-1'), { recursive: true });
    writeFileSync(join(root, 'gate-1/mine.txt'), 'mine');
    await expect(at(first, () => {})).rejects.toMatchObject({ code: 'E_GIT' });
    expect(readFileSync(join(root, 'gate-1/mine.txt'), 'utf8')).toBe('mine');
  });

  it('does not lose what is ignored over a commit that does not exist', async () => {
    await at(first, (path) => writeFileSync(join(path, 'x.cache'), 'kept'));
    await expect(at(sha('1'.repeat(40)), () => {})).rejects.toMatchObject({ code: 'E_GIT' });
    expect(await at(first, (path) => readFileSync(join(path, 'x.cache'), 'utf8'))).toBe('kept');
  });
});

const LEFT: Readonly<Record<string, (path: string, git: (...args: string[]) => string) => void>> = {
  'changed, deleted and new files': (path) => {
    writeFileSync(join(path, 'a.txt'), 'changed\n');
    rmSync(join(path, 'src'), { recursive: true });
    mkdirSync(join(path, 'new/deep'), { recursive: true });
    writeFileSync(join(path, 'new/deep/x'), 'x');
  },
  'a file of the same size and time': (path) => {
    const { atime, mtime } = statSync(join(path, 'a.txt'));
    writeFileSync(join(path, 'a.txt'), 'eno\n');
    execFileSync('touch', ['-d', mtime.toISOString(), join(path, 'a.txt')]);
    expect(atime).toBeDefined();
  },
  'a commit': (path, git) => {
    writeFileSync(join(path, 'a.txt'), 'committed\n');
    git('commit', '-qam', 'by a gate');
  },
  'a branch of its own, checked out': (_, git) => void git('checkout', '-q', '-b', 'made-by-gate'),
  'a HEAD on the branch of the user': (_, git) => void git('symbolic-ref', 'HEAD', 'refs/heads/main'),
  'a HEAD that is nonsense': (_, git) => writeFileSync(join(git('rev-parse', '--absolute-git-dir'), 'HEAD'), 'no\n'),
  'a merge half-done': (path, git) => {
    writeFileSync(join(path, 'a.txt'), 'ours\n');
    git('commit', '-qam', 'ours');
    expect(() => git('merge', '-q', second)).toThrow();
  },
  'a rebase half-done': (path, git) => {
    writeFileSync(join(path, 'a.txt'), 'ours\n');
    git('commit', '-qam', 'ours');
    expect(() => git('rebase', '-q', second)).toThrow();
  },
  'files and folders that are read-only': (path) => {
    chmodSync(join(path, 'plain/c.txt'), 0o444);
    chmodSync(join(path, 'run.sh'), 0o755);
    chmodSync(join(path, 'src/deep'), 0o555);
    chmodSync(join(path, 'plain'), 0o500);
  },
  'an index that is locked, or garbage': (_, git) => {
    const admin = git('rev-parse', '--absolute-git-dir');
    writeFileSync(join(admin, 'index.lock'), '');
    writeFileSync(join(admin, 'index'), 'garbage');
    writeFileSync(join(admin, 'HEAD.lock'), '');
  },
  'files hidden from git': (path, git) => {
    git('update-index', '--assume-unchanged', 'a.txt');
    git('update-index', '--skip-worktree', 'run.sh');
    writeFileSync(join(path, 'a.txt'), 'hidden\n');
    writeFileSync(join(path, 'run.sh'), 'hidden\n');
  },
  'a sparse checkout': (_, git) => void git('sparse-checkout', 'set', '--no-cone', 'plain'),
  'a repository inside, and links in place of folders': (path, git) => {
    git('init', '-q', 'inner');
    writeFileSync(join(path, 'inner/x'), 'x');
    rmSync(join(path, 'src'), { recursive: true });
    symlinkSync(join(path, 'plain'), join(path, 'src'));
    rmSync(join(path, 'a.txt'));
    mkdirSync(join(path, 'a.txt'));
    writeFileSync(join(path, 'a.txt/in-the-way'), '');
  },
  'no pointer to the repository': (path) => rmSync(join(path, '.git')),
  'another repository in its place': (path, git) => {
    rmSync(join(path, '.git'));
    git('init', '-q');
  },
};

describe('a gate that left', () => {
  it.each(Object.entries(LEFT))('%s changes nothing for the next one', async (_, leave) => {
    const clean = await at(first, (path) => filesIn(path));
    const branches = scratch.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/main');
    await at(first, (path) => {
      mkdirSync(join(path, 'modules'), { recursive: true });
      writeFileSync(join(path, 'modules/x'), 'installed');
      leave(path, (...args) => gitIn(path, ...args));
    });
    await at(first, (path) => {
      expect(filesIn(path)).toEqual(clean);
      expect(standsAt(path)).toEqual([first, '', first]);
      expect(gitIn(path, 'status')).not.toMatch(/merging|rebas|sparse/i);
      expect(readFileSync(join(path, 'modules/x'), 'utf8')).toBe('installed');
    });
    expect(scratch.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/main')).toBe(branches);
  });

  it('no folder at all, or no entry, is made again', async () => {
    await at(first, (path) => rmSync(path, { recursive: true }));
    await at(first, (path) => expect(standsAt(path)).toEqual([first, '', first]));
    await at(first, (path) => scratch.git('worktree', 'remove', '-f', '-f', path));
    await at(first, (path) => expect(standsAt(path)).toEqual([first, '', first]));
    rmSync(join(scratch.dir, '.git/worktrees'), { recursive: true });
    await at(second, (path) => expect(standsAt(path)).toEqual([second, '', second]));
  });

  it('is not trusted when the host died while it put files in order', async () => {
    const clean = await at(first, (path) => filesIn(path));
    await at(first, (path) => writeFileSync(join(path, 'a.txt'), 'eno\n'));
    rmSync(join(scratch.dir, '.git/paralph/gates/gate-1/commit'));
    writeFileSync(join(scratch.dir, '.git/paralph/gates/gate-1/index'), 'cut short');
    await at(first, (path) => expect(filesIn(path)).toEqual(clean));
  });

  it('a record that is cut short costs a second try, and no ignored file', async () => {
    const clean = await at(first, (path) => (writeFileSync(join(path, 'x.cache'), 'kept'), filesIn(path)));
    writeFileSync(join(scratch.dir, '.git/paralph/gates/gate-1/index'), 'cut short');
    await at(first, (path) => {
      expect(filesIn(path)).toEqual(clean);
      expect(readFileSync(join(path, 'x.cache'), 'utf8')).toBe('kept');
    });
  });
});
