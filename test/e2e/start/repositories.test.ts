import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { listOf } from '../harness/answers.ts';
import { gitIn } from '../harness/git.ts';
import { project, starts } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { tmuxEnv } from '../harness/terminal.ts';

interface Kind {
  readonly name: string;
  /** Makes the repository what it is called; returns it where it is now. */
  readonly make: (one: Scratch) => Scratch | void;
  readonly target?: string;
  /** What is started; `login` unless said. */
  readonly feature?: string;
  /** What is to be seen in the worktree, beside what the agent made. */
  readonly holds?: (worktree: string) => void;
  readonly says?: string;
  /** The worktree goes and is taken back: it holds the same again, and this is said. */
  readonly undoSays?: string;
  /** It is refused, in one line and with the remedy. */
  readonly refused?: readonly [code: number, lines: RegExp];
}

const text = (...path: string[]): string => readFileSync(join(...path), 'utf8');

/** Git itself cannot look at files behind a filter that is missing. */
const UNFILTERED = ['process=', 'clean=', 'required=false'].flatMap((set) => ['-c', `filter.lfs.${set}`]);

const KINDS: readonly Kind[] = [
  {
    name: 'submodules',
    make: (one) => {
      writeFileSync(join(one.home, '.gitconfig'), '[protocol "file"]\n\tallow = always\n');
      const lib = beside(one, 'lib');
      mkdirSync(lib);
      const git = gitIn(lib, one.env);
      git('init', '-q', '-b', 'main');
      writeFileSync(join(lib, 'inner.txt'), 'inner\n');
      git('add', '-A');
      git('-c', 'user.name=L', '-c', 'user.email=l@example.com', 'commit', '-q', '-m', 'Lib');
      one.git('submodule', '--quiet', 'add', lib, 'sub');
      one.git('commit', '-q', '-m', 'Add lib');
    },
    holds: (worktree) => expect(text(worktree, 'sub/inner.txt')).toBe('inner\n'),
    says: 'submodules: 1',
    undoSays: 'submodules: 1',
  },
  {
    name: 'a filter that is missing',
    make: (one) => {
      one.put('.gitattributes', '*.large filter=lfs diff=lfs merge=lfs -text\n');
      one.put('model.large', 'pointer\n');
      // As it is in a checkout of yesterday: git looks through the filter at what has just been written.
      utimesSync(join(one.repo, 'model.large'), 1_000_000_000, 1_000_000_000);
      one.git('add', '-A');
      one.git('commit', '-q', '-m', 'Large');
      for (const way of ['clean', 'smudge', 'process']) one.git('config', `filter.lfs.${way}`, `no-such-lfs ${way}`);
      one.git('config', 'filter.lfs.required', 'true');
    },
    holds: (worktree) => expect(text(worktree, 'model.large')).toBe('pointer\n'),
    says: 'files behind a filter that is not installed stay as they are stored',
  },
  {
    name: 'a sparse checkout',
    make: (one) => {
      for (const folder of ['wide', 'narrow']) one.put(`${folder}/file.txt`, folder);
      one.git('add', '-A');
      one.git('commit', '-q', '-m', 'Wide and narrow');
      one.git('sparse-checkout', 'set', 'narrow');
    },
    holds: (worktree) =>
      expect(['wide', 'narrow'].map((folder) => existsSync(join(worktree, folder)))).toEqual([false, true]),
  },
  {
    name: 'no commits',
    make: (one) => void one.git('update-ref', '-d', 'HEAD'),
    refused: [4, /^error\[E_NO_COMMITS\]: .*\nfix: git commit --allow-empty -m 'Start'\n$/m],
  },
  { name: 'a detached HEAD', make: (one) => void one.git('checkout', '-q', '--detach') },
  { name: 'a feature that is not ASCII', make: () => undefined, feature: '日本語' },
  {
    name: 'a target that is not ASCII, packed beside a branch that is no UTF-8',
    make: (one) => {
      one.git('branch', '-q', '-m', 'main', 'maîtresse');
      const stdio = 'pipe' as const;
      execFileSync('sh', ['-c', 'git branch "$(printf \'ma\\356tresse\')" && git pack-refs --all'], {
        cwd: one.repo,
        stdio,
      });
    },
    target: 'maîtresse',
  },
  { name: 'master', make: (one) => void one.git('branch', '-q', '-m', 'main', 'master'), target: 'master' },
  {
    name: 'a path with spaces',
    make: (one) => {
      const repo = join(one.root, "a repo with spaces and 'quotes'");
      renameSync(one.repo, repo);
      return { ...one, repo, git: gitIn(repo, one.env) };
    },
  },
];

describe('ralph start in repositories of all kinds', () => {
  it.each(KINDS)('works or refuses in one line with the remedy: $name', async (kind) => {
    const made = scratch();
    project(made, { tasks: [] });
    const one = kind.make(made) ?? made;
    const status = (): string =>
      one.git(...UNFILTERED, 'status', '--porcelain', '--ignored').replace(/^!! \.ralph\/\n?/m, '');
    const before = status();
    const feature = kind.feature ?? 'login';
    const words = ['start', feature, 'make', 'a', 'file', '--no-install'];
    const { code, stderr } = await ralph(one, words, { env: tmuxEnv(one), isCheckoutGuarded: false });
    const worktree = join(one.home, 'worktrees', feature);
    const [exit, lines] = kind.refused ?? [0, /\b1 landed/];
    expect([code, stderr]).toEqual([exit, expect.stringMatching(lines)]);
    expect(starts(one).map((call) => call.cwd)).toEqual(exit === 0 ? [worktree] : []);
    expect([existsSync(worktree), status()]).toEqual([exit === 0, before]);
    if (exit !== 0) return;
    expect(stderr).toContain(kind.says ?? '');
    kind.holds?.(worktree);
    if (kind.undoSays !== undefined) {
      expect((await ralph(one, ['worktree', 'remove', feature])).code).toBe(0);
      expect(existsSync(worktree)).toBe(false);
      expect((await ralph(one, ['undo'])).stderr).toContain(kind.undoSays);
      kind.holds?.(worktree);
    }
    expect(one.git('log', '-1', '--format=%s', kind.target ?? 'main')).toContain(feature);
    const listed = listOf(
      (await ralph(one, ['loops', 'list', '--all', '--json'])).stdout,
      'loops',
    ) as unknown as unknown;
    expect(listed).toMatchObject([{ branch: `feature/${feature}` }]);
  });
});
