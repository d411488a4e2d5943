import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { differences, everything, fingerprint } from '../harness/fingerprint.ts';
import { gitIn, gitSays, refsBelow } from '../harness/git.ts';
import { project, starts } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const RUN = ['run', '--parallel', '--max-workers', '3'];

/** Everything somebody may have of their own in a repository that we work in. */
function userThings(one: Scratch): { readonly all: () => Record<string, unknown> } {
  const { git, repo } = one;
  git('config', 'alias.mine', 'status');
  mkdirSync(join(repo, '.git/hooks'), { recursive: true });
  writeFileSync(join(repo, '.git/hooks/post-commit'), '#!/bin/sh\nexit 0\n');
  chmodSync(join(repo, '.git/hooks/post-commit'), 0o755);
  one.put('README.md', 'stashed\n');
  git('stash', 'push', '-q', '-m', 'mine');
  const own = [beside(one, 'mine'), join(repo, '.ralph/worktrees/mine-too')];
  for (const [n, path] of own.entries()) {
    git('worktree', 'add', '-q', '-b', `mine-${n}`, path);
    writeFileSync(join(path, 'dirty.txt'), 'mine');
  }
  git('worktree', 'lock', '--reason', 'my own reason', own[1] ?? '');
  git('worktree', 'add', '-q', '-b', 'ralph/mine', beside(one, 'looks-like-yours'));
  git('branch', 'ralph/also-mine');
  one.put('dirty.txt', 'dirty');
  const entries = (): readonly string[] =>
    git('worktree', 'list', '--porcelain')
      .split('\n')
      .filter((line) => /mine|yours/.test(line));
  return {
    all: () => ({
      ...fingerprint(repo),
      trees: own.map((path) => everything(path)),
      entries: entries(),
      branches: ['ralph/mine', 'ralph/also-mine'].map((name) => git('rev-parse', name)),
      stash: git('stash', 'list', '--format=%H %gs'),
    }),
  };
}

describe('prune and clean', () => {
  it('S4.7 take only what is ours and over, keep it first, and leave every byte of the user’s alone', async () => {
    const one = scratch();
    project(one, {
      tasks: ['good', 'bad', 'late'],
      byTask: { bad: [{ write: { path: 'bad.txt', text: 'unlanded' } }, { exit: 3 }] },
      config: { limits: { consecutive_failures: 1 } },
    });
    expect((await ralph(one, RUN)).code).toBe(1);
    const parked = starts(one).find((call) => call.task === 'bad')?.cwd ?? '';
    const root = join(parked, '..');
    // An orphan with work in it that the log knows nothing of, and one with a repository inside.
    for (const name of ['orphan', 'nest']) {
      const reason = ['--lock', '--reason', 'paralph worktree'];
      one.git('worktree', 'add', '-q', ...reason, '-b', `ralph/${name}`, join(root, name), 'main');
      writeFileSync(join(root, name, 'work.txt'), `work of ${name}\n`);
    }
    mkdirSync(join(root, 'nest/inner'));
    gitIn(join(root, 'nest/inner'), one.env)('init', '-q');
    const user = userThings(one);
    const before = user.all();

    const dry = await ralph(one, ['prune', '--dry-run']);
    expect(dry.stderr).toContain(`would remove ${join(root, 'orphan')}`);
    expect(existsSync(join(root, 'orphan'))).toBe(true);
    const cleaned = await ralph(one, ['parallel', 'clean']);
    expect(cleaned.stderr).toContain(`kept ${join(root, 'orphan')}: it has uncommitted work`);
    const inLoop = await ralph(one, ['prune'], { env: { RALPH_LOOP_ID: 'x' } });
    expect([inLoop.code, inLoop.stderr]).toEqual([2, expect.stringContaining('ralph prune is for people')]);
    for (const command of ['loops prune', 'loops process']) {
      const typed = await ralph(one, command.split(' '), { env: { RALPH_LOOP_ID: 'x' } });
      expect([typed.code, typed.stderr]).toEqual([
        2,
        expect.stringContaining(`fix: ralph block "please run: ralph ${command}"`),
      ]);
    }
    const pruned = await ralph(one, ['loops', 'prune']);
    expect([pruned.code, pruned.stderr]).toEqual([
      0,
      expect.stringMatching(/removed \S+orphan; kept as \S+ \(1 uncommitted file\)/),
    ]);
    expect(pruned.stderr).toMatch(
      /kept \S+: its loop is parked \(failures\); to take it away: ralph loops discard bad-/,
    );
    expect(pruned.stderr).toMatch(/kept \S+nest: .*inner/);
    const [, words = ''] = /to take it back: ralph undo .*: ralph (keep restore \S+)/.exec(pruned.stderr) ?? [];
    expect((await ralph(one, words.split(' '))).code, 'the command that was printed').toBe(0);
    one.git('branch', '-D', 'restored/orphan');
    expect(existsSync(join(root, 'orphan'))).toBe(false);
    expect(readFileSync(join(root, 'nest/work.txt'), 'utf8')).toBe('work of nest\n');
    expect(readFileSync(join(parked, 'bad.txt'), 'utf8')).toBe('unlanded');
    expect(gitSays(one.git, 'rev-parse', '--verify', 'ralph/orphan')).toBe(true);
    expect(user.all()).toEqual(before);

    const undone = await ralph(one, ['undo', '--json']);
    expect(undone.code).toBe(0);
    expect(readFileSync(join(root, 'orphan/work.txt'), 'utf8')).toBe('work of orphan\n');
    expect(user.all()).toEqual(before);
    expect(differences(fingerprint(one.repo), fingerprint(one.repo))).toEqual([]);
    expect(refsBelow(one.git, 'refs/paralph/keep/').length).toBeGreaterThan(0);
  });

  it('a prune that was killed is finished by the next one, and undo takes both back', async () => {
    const one = scratch();
    project(one, { tasks: ['good'] });
    await ralph(one, RUN);
    const root = join(starts(one)[0]?.cwd ?? '', '..');
    const names = ['first', 'second', 'third'];
    for (const name of names) {
      const reason = ['--lock', '--reason', 'paralph worktree'];
      one.git('worktree', 'add', '-q', ...reason, '-b', `ralph/${name}`, join(root, name), 'main');
      writeFileSync(join(root, name, 'work.txt'), `work of ${name}\n`);
    }
    const killed = await ralph(one, ['prune'], { failpoints: 'clean.folder#2=kill' });
    expect(killed.signal).toBe('SIGKILL');
    expect((await ralph(one, ['prune'])).code).toBe(0);
    for (const name of names) expect(existsSync(join(root, name)), name).toBe(false);
    for (let acts = 0; acts < 2; acts += 1) expect((await ralph(one, ['undo'])).code).toBe(0);
    for (const name of names) expect(readFileSync(join(root, name, 'work.txt'), 'utf8')).toBe(`work of ${name}\n`);
    expect((await ralph(one, ['undo'])).stderr).toContain('nothing to undo');
  });
});
