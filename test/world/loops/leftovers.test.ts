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
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha } from '../../../src/core/model/ids.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { commitLeftovers } from '../../../src/world/loops/leftovers.ts';
import type { WorktreeFacts } from '../../../src/world/contract/outcomes.ts';
import { findRepository } from '../../../src/world/git/run/repository.ts';
import type { Repository } from '../../../src/world/git/run/repository.ts';
import { snapshotWorktree } from '../../../src/world/git/files/snapshot.ts';
import { addWorktree } from '../../../src/world/worktrees/worktrees.ts';
import { type ScratchRepo, gitIn, scratchRepo } from '../scratch.ts';

const BRANCH = 'ralph/task-1';
const IDENTITY = { name: 'Ralph', email: 'r@x' };

let scratch: ScratchRepo;
let repo: Repository;
let base: Sha;
let path: string;
let adminDir: string;
beforeEach(async () => {
  const files = {
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'c.txt': 'c\n',
    'run.sh': '#!/bin/sh\n',
    '.gitignore': 'secret.env\nbuild/\n',
  };
  scratch = scratchRepo({ files });
  repo = findRepository(scratch.dir);
  base = sha(scratch.git('rev-parse', 'HEAD'));
  path = join(dirname(scratch.dir), 'trees', 'one');
  await addWorktree(repo, { path, branch: BRANCH, base, reason: 'paralph worktree' });
  adminDir = gitIn(path, 'rev-parse', '--absolute-git-dir');
});
afterEach(() => scratch.remove());

const git = (...args: string[]): string => gitIn(path, ...args);
const put = (name: string, content: string): void => {
  mkdirSync(dirname(join(path, name)), { recursive: true });
  writeFileSync(join(path, name), content);
};
const work = (name: string, content = 'work\n'): Sha => {
  put(name, content);
  git('add', '--', name);
  git('commit', '-q', '-m', `adds ${name}`);
  return sha(git('rev-parse', 'HEAD'));
};
const leftovers = (): Promise<WorktreeFacts> =>
  commitLeftovers(repo, {
    path,
    branch: BRANCH,
    message: 'leftovers of iteration 1',
    base: null,
    maxNew: null,
    identity: IDENTITY,
  });
const filesIn = (rev: string): string[] =>
  git('ls-tree', '-r', '-z', '--name-only', rev)
    .split('\0')
    .filter((name) => name !== '');
const tip = (): string => git('rev-parse', BRANCH);

describe('what is left is committed', () => {
  it('makes no commit when nothing is left', async () => {
    const head = work('done.txt');
    expect(await leftovers()).toEqual({
      head,
      tree: git('rev-parse', 'HEAD^{tree}'),
      branch: BRANCH,
      committed: false,
      odd: null,
      kept: null,
    });
    expect(tip()).toBe(head);
  });

  it('case 17: takes changes, new files, deletions, renames, modes and symlinks, and no ignored file', async () => {
    put('a.txt', 'changed\n');
    rmSync(join(path, 'b.txt'));
    renameSync(join(path, 'c.txt'), join(path, 'moved.txt'));
    chmodSync(join(path, 'run.sh'), 0o755);
    put('new/deep/file.txt', 'new\n');
    symlinkSync('a.txt', join(path, 'link'));
    put('secret.env', 'TOKEN=1\n');
    put('build/out.js', 'out\n');
    put('staged.txt', 'staged\n');
    git('add', 'staged.txt');
    const facts = await leftovers();
    expect(facts).toMatchObject({ branch: BRANCH, committed: true, odd: null, kept: null, head: tip() });
    expect(filesIn(facts.head)).toEqual([
      '.gitignore',
      'a.txt',
      'link',
      'moved.txt',
      'new/deep/file.txt',
      'run.sh',
      'staged.txt',
    ]);
    expect(git('ls-tree', facts.head, 'run.sh', 'link')).toMatch(/^120000 .*\n100755 /);
    expect(git('show', `${facts.head}:a.txt`)).toBe('changed');
    expect(git('log', '-1', '--format=%an <%ae> %s %P', facts.head)).toBe(
      `Ralph <r@x> leftovers of iteration 1 ${base}`,
    );
    expect(facts.tree).toBe(git('rev-parse', `${facts.head}^{tree}`));
    expect(git('status', '--porcelain')).toBe('');
    expect(existsSync(join(path, 'secret.env'))).toBe(true);
    expect((await leftovers()).committed).toBe(false);
  });

  it('takes files whatever their names', async () => {
    const names = ['with space', 'new\nline', 'ünï-文', '-rf', ':(exclude)x', '*', 'quote"\'', '.hidden', 'tab\there'];
    for (const name of names) put(name, `${name}\n`);
    const facts = await leftovers();
    expect(filesIn(facts.head).sort()).toEqual(['.gitignore', 'a.txt', 'b.txt', 'c.txt', 'run.sh', ...names].sort());
  });

  it('runs no hook, no editor and no signature', async () => {
    const hooks = join(repo.commonDir, 'hooks');
    mkdirSync(hooks, { recursive: true });
    for (const name of [
      'pre-commit',
      'commit-msg',
      'post-commit',
      'reference-transaction',
      'post-checkout',
      'post-index-change',
    ]) {
      writeFileSync(join(hooks, name), `#!/bin/sh\ntouch '${scratch.dir}/hook-ran'\nexit 1\n`, { mode: 0o755 });
    }
    git('config', 'commit.gpgSign', 'true');
    git('config', 'gpg.program', '/bin/false');
    git('config', 'core.fsmonitor', `touch '${scratch.dir}/hook-ran'`);
    put('new.txt', 'new\n');
    expect((await leftovers()).committed).toBe(true);
    expect(existsSync(join(scratch.dir, 'hook-ran'))).toBe(false);
  });

  it('case 18: clears the index.lock of this worktree and no other', async () => {
    put('new.txt', 'new\n');
    writeFileSync(join(adminDir, 'index.lock'), '');
    writeFileSync(join(repo.commonDir, 'index.lock'), '');
    expect((await leftovers()).committed).toBe(true);
    expect(existsSync(join(repo.commonDir, 'index.lock'))).toBe(true);
  });

  it('is not led astray by GIT_ variables of whoever started us', async () => {
    put('new.txt', 'new\n');
    process.env['GIT_DIR'] = repo.commonDir;
    process.env['GIT_INDEX_FILE'] = join(repo.commonDir, 'index');
    try {
      expect(filesIn((await leftovers()).head)).toContain('new.txt');
    } finally {
      delete process.env['GIT_DIR'];
      delete process.env['GIT_INDEX_FILE'];
    }
    expect(scratch.git('status', '--porcelain')).toBe('');
  });
});

describe('HEAD is not on the branch', () => {
  it('case 15: adopts commits made on a detached HEAD, and what is uncommitted on top', async () => {
    git('checkout', '-q', '--detach');
    const made = work('detached.txt');
    put('more.txt', 'more\n');
    const facts = await leftovers();
    expect(facts).toMatchObject({ branch: BRANCH, committed: true, odd: null, kept: null, head: tip() });
    expect(git('rev-parse', `${facts.head}^`)).toBe(made);
    expect(git('symbolic-ref', '--short', 'HEAD')).toBe(BRANCH);
    expect(git('status', '--porcelain')).toBe('');
  });

  it('case 15: keeps commits of a detached HEAD that do not follow the branch, and leaves the branch', async () => {
    const onBranch = work('branch.txt');
    git('checkout', '-q', '--detach', base);
    work('detached.txt');
    put('more.txt', 'more\n');
    const facts = await leftovers();
    expect(facts).toMatchObject({ branch: null, committed: true, odd: 'detached' });
    expect(tip()).toBe(onBranch);
    expect(facts.kept).toBe(`refs/paralph/keep/task-1/${facts.head.slice(0, 12)}`);
    expect(git('rev-parse', facts.kept ?? '')).toBe(facts.head);
    expect(filesIn(facts.head)).toEqual(expect.arrayContaining(['detached.txt', 'more.txt']));
    expect(await leftovers()).toMatchObject({ head: facts.head, committed: false, odd: 'detached', kept: facts.kept });
  });

  it('returns to the branch when it only looked at something older', async () => {
    const onBranch = work('branch.txt');
    git('checkout', '-q', '--detach', base);
    expect(await leftovers()).toMatchObject({ head: onBranch, branch: BRANCH, committed: false, odd: null });
    expect(existsSync(join(path, 'branch.txt'))).toBe(true);
    expect(git('status', '--porcelain', '--branch')).toBe(`## ${BRANCH}`);
  });

  it('adopts what was committed on a branch of the agent, and leaves that branch', async () => {
    git('checkout', '-q', '-b', 'agents-own');
    const made = work('own.txt');
    put('more.txt', 'more\n');
    const facts = await leftovers();
    expect(facts).toMatchObject({ branch: BRANCH, odd: null, head: tip() });
    expect(git('rev-parse', 'agents-own')).toBe(made);
    expect(git('rev-parse', `${BRANCH}^`)).toBe(made);
  });

  it('never moves main, though the agent stands on it', async () => {
    work('branch.txt');
    git('checkout', '-q', '--ignore-other-worktrees', 'main');
    put('more.txt', 'more\n');
    const facts = await leftovers();
    expect(facts).toMatchObject({ branch: 'main', odd: 'other-branch', committed: true });
    expect(git('rev-parse', 'main')).toBe(base);
    expect(filesIn(facts.kept ?? '')).toContain('more.txt');
  });

  it('case 14: brings back a branch that was deleted under the worktree', async () => {
    const made = work('branch.txt');
    scratch.git('update-ref', '-d', `refs/heads/${BRANCH}`);
    put('more.txt', 'more\n');
    const facts = await leftovers();
    expect(facts).toMatchObject({ branch: BRANCH, odd: null, committed: true, head: tip() });
    expect(git('rev-parse', `${BRANCH}^`)).toBe(made);
    git('update-ref', '-d', `refs/heads/${BRANCH}`);
    expect(await leftovers()).toMatchObject({ branch: BRANCH, odd: null, committed: false, head: facts.head });
    expect(tip()).toBe(facts.head);
  });

  it('keeps what stands on a branch without commits', async () => {
    const made = work('branch.txt');
    git('checkout', '-q', '--orphan', 'fresh');
    put('more.txt', 'more\n');
    const facts = await leftovers();
    expect(facts).toMatchObject({ odd: 'unborn', branch: 'fresh', committed: true });
    expect(filesIn(facts.kept ?? '')).toEqual(expect.arrayContaining(['branch.txt', 'more.txt']));
    expect(tip()).toBe(made);
  });

  it('finds another name when the keep ref has no room', async () => {
    scratch.git('update-ref', 'refs/paralph/keep/task-1', base);
    work('branch.txt');
    git('checkout', '-q', '--detach', base);
    const made = work('detached.txt');
    expect((await leftovers()).kept).toBe(`refs/paralph/keep/task-1-${made.slice(0, 12)}`);
  });
});

describe('an operation is half done', () => {
  const conflict = (): void => {
    work('a.txt', 'ours\n');
    git('checkout', '-q', '-b', 'other', base);
    work('a.txt', 'theirs\n');
    git('checkout', '-q', BRANCH);
  };
  const attempt = (...args: string[]): void => {
    expect(() => git(...args)).toThrow('Command failed');
  };
  const cases: Record<string, () => void> = {
    merge: () => attempt('merge', 'other'),
    rebase: () => attempt('rebase', 'other'),
    'cherry-pick': () => attempt('cherry-pick', 'other'),
    revert: () => attempt('revert', '--no-edit', 'other'),
    unmerged: () => {
      put('a.txt', 'stashed\n');
      git('stash', '-q');
      work('a.txt', 'again\n');
      attempt('stash', 'pop');
    },
    bisect: () => {
      git('bisect', 'start', 'HEAD', base);
    },
  };
  for (const [odd, begin] of Object.entries(cases)) {
    it(`case 16: keeps a snapshot amid ${odd} and touches nothing`, async () => {
      conflict();
      begin();
      put('extra.txt', 'extra\n');
      const look = (): string[] => [
        git('status', '--porcelain=v2', '--branch'),
        git('rev-parse', 'HEAD'),
        git('ls-files', '-s'),
        readFileSync(join(path, 'a.txt'), 'utf8'),
      ];
      const before = look();
      const facts = await leftovers();
      expect(facts).toMatchObject({ odd, committed: true });
      expect(look()).toEqual(before);
      expect(git('show', `${facts.kept}:a.txt`)).toBe(before[3]?.trim());
      expect(filesIn(facts.kept ?? '')).toContain('extra.txt');
      expect(facts.tree).toBe(git('rev-parse', `${facts.kept}^{tree}`));
      for (const reachable of ['HEAD', BRANCH]) git('merge-base', '--is-ancestor', reachable, facts.kept ?? '');
    });
  }
});

describe('repositories inside the worktree', () => {
  const embed = (name: string, commits: boolean): void => {
    put(`${name}/inner.txt`, 'inner\n');
    gitIn(join(path, name), 'init', '-q');
    if (!commits) return;
    gitIn(join(path, name), 'add', '-A');
    gitIn(join(path, name), '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-q', '-m', 'inner');
  };

  it('leaves them out and reports them', async () => {
    embed('with commits', true);
    embed('deep/er/-empty', false);
    put('deep/beside.txt', 'beside\n');
    put('new.txt', 'new\n');
    const facts = await leftovers();
    expect(facts).toMatchObject({ odd: 'embedded-repository', committed: true, branch: BRANCH, head: tip() });
    expect(filesIn(facts.head)).toEqual([
      '.gitignore',
      'a.txt',
      'b.txt',
      'c.txt',
      'deep/beside.txt',
      'new.txt',
      'run.sh',
    ]);
    expect(readFileSync(join(path, 'with commits/inner.txt'), 'utf8')).toBe('inner\n');
  });

  it('takes back one that the agent staged', async () => {
    embed('inner', true);
    git('add', 'inner');
    const facts = await leftovers();
    expect(facts).toMatchObject({ odd: 'embedded-repository', committed: false, head: base });
    expect(existsSync(join(path, 'inner/.git'))).toBe(true);
  });

  it('takes the files of a tracked folder in which somebody ran git init', async () => {
    work('src/one.txt');
    gitIn(join(path, 'src'), 'init', '-q');
    put('src/one.txt', 'changed\n');
    put('src/two.txt', 'two\n');
    const facts = await leftovers();
    expect(git('show', `${facts.head}:src/one.txt`)).toBe('changed');
    expect(filesIn(facts.head)).toContain('src/two.txt');
    expect(git('ls-tree', '-r', facts.head)).not.toContain('160000');
  });
});

describe('.git was replaced', () => {
  const cases: Record<string, () => void> = {
    'a folder': () => void gitIn(path, 'init', '-q'),
    'a symlink': () => symlinkSync(repo.commonDir, join(path, '.git')),
    'a pointer to': () => writeFileSync(join(path, '.git'), `gitdir: ${repo.commonDir}\n`),
    missing: () => {},
  };
  for (const [what, act] of Object.entries(cases)) {
    it(`refuses when it is ${what}`, async () => {
      rmSync(join(path, '.git'));
      act();
      put('new.txt', 'new\n');
      await expect(leftovers()).rejects.toMatchObject({
        code: 'E_REPOSITORY_BROKEN',
        message: expect.stringMatching(new RegExp(`${path}/\\.git .*${what}`)) as string,
      });
      expect(scratch.git('status', '--porcelain')).toBe('');
      expect(scratch.git('rev-parse', BRANCH)).toBe(base);
    });
  }
});

describe('snapshotWorktree', () => {
  it('sees everything but ignored files, and leaves the index as it is', async () => {
    put('a.txt', 'changed\n');
    put('new.txt', 'new\n');
    put('secret.env', 'TOKEN=1\n');
    const index = readFileSync(join(adminDir, 'index'));
    const tree = await snapshotWorktree(repo, path);
    expect(filesIn(tree)).toEqual(['.gitignore', 'a.txt', 'b.txt', 'c.txt', 'new.txt', 'run.sh']);
    expect(git('show', `${tree}:a.txt`)).toBe('changed');
    expect(readFileSync(join(adminDir, 'index')).equals(index)).toBe(true);
    expect(git('status', '--porcelain')).toContain('?? new.txt');
    expect(await snapshotWorktree(repo, scratch.dir)).toBe(git('rev-parse', `${base}^{tree}`));
  });
});
