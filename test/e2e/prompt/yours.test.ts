import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { gitSays, refsBelow } from '../harness/git.ts';
import { foldersOf, promptFor, promptProject, PROMISE, tellAgents, writeAgent } from '../harness/prompt-project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';
import { INT, valuesOf } from '../harness/values.ts';

const WORK = 'echo "made by $name" > "$name.txt"';

/** A stash, a staged file, one that is staged and changed again, a changed one, a new one, a deleted one. */
function fillCheckout(one: Scratch): void {
  for (const name of ['stashed', 'staged', 'both', 'dirty', 'deleted']) one.put(`yours/${name}.txt`, `${name}\n`);
  one.git('add', '-A');
  one.git('commit', '-q', '-m', 'Yours');
  one.put('yours/stashed.txt', 'put aside\n');
  one.git('stash', 'push', '-q');
  one.put('yours/staged.txt', 'staged\nmore\n');
  one.put('yours/both.txt', 'both\nstaged\n');
  one.git('add', '-A');
  one.put('yours/both.txt', 'both\nstaged\nand changed\n');
  one.put('yours/dirty.txt', Buffer.from([0, 255, 10, 13]));
  one.put('yours/new.txt', 'new\n');
  one.git('rm', '-q', '--cached', 'yours/deleted.txt');
}

/** All that a person sees of what is theirs. */
const yours = (one: Scratch): Readonly<Record<string, string>> => ({
  stash: one.git('stash', 'list', '--format=%H'),
  status: one.git('status', '--porcelain=v1', '-uall'),
  index: one.git('ls-files', '-s', '-z', '--', 'yours'),
  staged: one.git('diff', '--cached'),
  dirty: readFileSync(join(one.repo, 'yours/dirty.txt')).toString('hex'),
  unstaged: one.git('diff', '--binary'),
  new: readFileSync(join(one.repo, 'yours/new.txt'), 'utf8'),
});

describe('what is yours', () => {
  it('scenario 29: stash, index, changed and new files stay as they are while loops run in place and land', async () => {
    const one = scratch();
    promptProject(one, `${WORK}\n${PROMISE}`);
    fillCheckout(one);
    const before = yours(one);
    const scripts: Readonly<Record<string, string>> = {
      adds: `${WORK}\ngit add -A`,
      sweeps: `${WORK}\ngit add -A\ngit commit -q -m "$name"`,
      all: `${WORK}\ngit add "$name.txt"\ngit commit -q -am "$name"\ngit reset -q --hard\ngit clean -fdq`,
      branches: `git checkout -q -b topic\n${WORK}\ngit add "$name.txt"\ngit commit -q -m "$name" -- "$name.txt"`,
    };
    for (const [name, script] of Object.entries(scripts)) {
      writeAgent(one, `${script}\n${PROMISE}`);
      const { code, stderr } = await ralph(one, ['run', promptFor(name)], { isCheckoutGuarded: false });
      expect(code, stderr).toBe(0);
      expect(foldersOf(one, name)).toEqual([one.repo]);
      expect(one.git('show', `main:${name}.txt`)).toBe(`made by ${name}`);
      expect(yours(one), name).toEqual(before);
      expect(one.git('ls-tree', '-r', '--name-only', 'main', 'yours/new.txt')).toBe('');
      expect(one.git('diff', '--name-only', 'main~1', 'main')).toBe(`${name}.txt`);
      expect(one.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
      expect(one.git('worktree', 'list').split('\n'), 'its gates had one of their own').toHaveLength(1);
    }
    expect(refsBelow(one.git, 'refs/heads/')).toEqual(['refs/heads/main', 'refs/heads/topic']);
    writeAgent(one, `${WORK}\necho more >> yours/both.txt\ngit stash -q\n${PROMISE}`);
    const stashed = await ralph(one, ['run', promptFor('stashes')], { isCheckoutGuarded: false });
    expect([stashed.code, stashed.stderr]).toEqual([1, expect.stringContaining('left a stash entry')]);
    rmSync(join(one.repo, 'stashes.txt'));
    expect(yours(one)).toEqual(before);
  });

  it('what an agent did to a file that you had changed is told at the end, and is why there seems to be nothing', async () => {
    const one = scratch();
    const EDIT = 'echo more >> README.md';
    promptProject(one, `${WORK}\n${EDIT}\n${PROMISE}`);
    one.put('README.md', 'changed\n');
    one.put('new.txt', 'new\n');
    const told = 'README.md had changes of yours before: what the agent did there is not part of the work';
    const works = await ralph(one, ['run', promptFor('works')], { isCheckoutGuarded: false });
    expect([works.code, works.stderr]).toEqual([
      0,
      expect.stringContaining(`${told}; commit it first, or use --worktree`),
    ]);
    expect(one.git('diff', '--name-only', 'main~1', 'main')).toBe('works.txt');
    writeAgent(one, `${EDIT}\n${PROMISE}`);
    const idles = await ralph(one, ['run', promptFor('idles')], { isCheckoutGuarded: false });
    expect([idles.code, idles.stderr]).toEqual([1, expect.stringContaining(told)]);
    expect(idles.stderr).toMatch(
      /parked .*no change in .*; what it did to files of yours is not part of the work: README\.md/,
    );
    writeAgent(one, `${WORK}\n${PROMISE}`);
    const spares = await ralph(one, ['run', promptFor('spares')], { isCheckoutGuarded: false });
    expect([spares.code, spares.stderr]).toEqual([0, expect.not.stringContaining('had changes of yours')]);
  });

  it('what you commit and what others land while a loop works in place is not taken back with its own commits', async () => {
    const one = scratch();
    const steps = `touch "$BOOKS/here"\nhold work\n${WORK}\ngit add "$name.txt"\ngit commit -q -m "$name"\ntouch "$BOOKS/committed"\nhold end`;
    promptProject(one, `test "$name" = slow || { ${WORK}\n${PROMISE}; exit; }\n${steps}\n${PROMISE}`);
    const slow = startRalph(one, ['run', promptFor('slow')]);
    await until('its agent', () => existsSync(beside(one, 'books/here')));
    one.put('yours.txt', 'yours\n');
    one.git('add', 'yours.txt');
    one.git('commit', '-q', '-m', 'Yours meanwhile');
    const mine = one.git('rev-parse', 'HEAD');
    const fast = await ralph(one, ['run', '--worktree', promptFor('fast')], { isCheckoutGuarded: false });
    expect(fast.code, fast.stderr).toBe(0);
    const published = one.git('rev-parse', 'main');
    tellAgents(one, 'work');
    await until('its commit', () => existsSync(beside(one, 'books/committed')));
    const ungated = one.git('rev-parse', 'main');
    expect(one.git('log', '-1', '--format=%s', ungated)).toBe('slow');
    // While it stands there, nobody takes it for yours.
    const later = await ralph(one, ['run', '--worktree', promptFor('later')], { isCheckoutGuarded: false });
    expect(gitSays(one.git, 'merge-base', '--is-ancestor', ungated, INT), later.stderr).toBe(false);
    expect(one.git('show', `${INT}:later.txt`)).toBe('made by later');
    tellAgents(one, 'end');
    const { code, stderr } = await slow.ended;
    expect(code, stderr).toBe(0);
    const values = valuesOf(one, 'refs/heads/main');
    expect(
      values.slice(values.indexOf(mine)).every((to) => gitSays(one.git, 'merge-base', '--is-ancestor', mine, to)),
    ).toBe(true);
    expect(values.at(values.indexOf(ungated) + 1)).toBe(published);
    for (const name of ['slow', 'fast', 'later']) expect(one.git('show', `main:${name}.txt`)).toBe(`made by ${name}`);
    expect(one.git('status', '--porcelain')).toBe('');
  });

  it('what others land while the agent has left your branch is in the checkout when it stands on it again', async () => {
    const one = scratch();
    const commit = 'test "$name" = leaves || { git add "$name.txt"; git commit -q -m "$name"; }';
    const leave = 'touch "$BOOKS/$name-here"\nhold "$name-leaves"\ngit checkout -q --detach\ntouch "$BOOKS/$name-away"';
    const away = `${leave}\nhold "$name-goes"\n${WORK}\n${commit}`;
    promptProject(
      one,
      `case "$name" in beside*) ${WORK}; cat "$name.txt" >> all.txt ;; *) ${away} ;; esac\n${PROMISE}`,
    );
    const land = async (name: string): Promise<void> => {
      const { code, stderr } = await ralph(one, ['run', '--worktree', promptFor(name)], { isCheckoutGuarded: false });
      expect(code, stderr).toBe(0);
      expect(one.git('show', 'main:all.txt')).toMatch(new RegExp(`made by ${name}$`));
    };
    for (const name of ['leaves', 'commits']) {
      const slow = startRalph(one, ['run', promptFor(name)]);
      await until('its agent', () => existsSync(beside(one, `books/${name}-here`)));
      await land(`beside-first-${name}`);
      tellAgents(one, `${name}-leaves`);
      await until('it left the branch', () => existsSync(beside(one, `books/${name}-away`)));
      await land(`beside-then-${name}`);
      tellAgents(one, `${name}-goes`);
      const { code, stderr } = await slow.ended;
      expect(code, stderr).toBe(0);
      expect(one.git('show', `main:${name}.txt`)).toBe(`made by ${name}`);
      expect(one.git('diff', '--name-only', 'main~1', 'main')).toBe(`${name}.txt`);
      expect([one.git('symbolic-ref', 'HEAD'), one.git('status', '--porcelain')]).toEqual(['refs/heads/main', '']);
    }
  });

  it('an agent that cleans all away, our folder too, moves no branch, takes nothing of yours, and is alone in the checkout', async () => {
    const one = scratch();
    const clean = 'git clean -fdxq; git stash clear; touch "$BOOKS/cleaned"; hold on; echo half > half.txt';
    const all = `${WORK}; git add -A; git commit -q -m "$name"`;
    promptProject(one, `case $name in second) ${WORK} ;; *) ${clean}; ${all} ;; esac\n${PROMISE}`, {
      gates: { commands: ['test ! -e first.txt'] },
    });
    one.put('README.md', 'put aside\n');
    one.git('stash', 'push', '-q');
    one.put('README.md', 'changed\n');
    one.put('new.txt', 'new\n');
    one.put('staged.txt', 'staged\n');
    one.git('add', 'staged.txt');
    const seen = (): readonly string[] => [
      one.git('status', '--porcelain', '-uall', '--', '.', ':!half.txt', ':!first.txt'),
      one.git('rev-parse', 'main~0', 'stash@{0}'),
      ...['README.md', 'new.txt', 'staged.txt'].map((name) => readFileSync(join(one.repo, name), 'utf8')),
    ];
    const before = seen();
    const first = startRalph(one, ['run', '--max-iterations', '1', promptFor('first')]);
    await until('all is cleaned away', () => existsSync(beside(one, 'books/cleaned')));
    const second = await ralph(one, ['run', '--no-auto-merge', promptFor('second')], { isCheckoutGuarded: false });
    expect([second.code, foldersOf(one, 'second')[0]]).toEqual([0, expect.not.stringMatching(`^${one.repo}$`)]);
    tellAgents(one, 'on');
    expect((await first.ended).code).toBe(1);
    expect(seen()).toEqual(before);
    const branch = refsBelow(one.git, 'refs/heads/ralph/').find((ref) => ref.includes('first')) ?? '';
    expect(one.git('ls-tree', '-r', '--name-only', branch, '.ralph', 'new.txt', 'staged.txt')).toBe('');
    expect(existsSync(join(one.repo, '.ralph/loop.lock'))).toBe(false);
  });

  it('what the agent committed on your branch is followed by nobody, also where it is put back at that very moment', async () => {
    const one = scratch();
    const steps = `${WORK}\ngit add "$name.txt"\ngit commit -q -m "$name"\ntouch "$BOOKS/committed"\nhold end`;
    promptProject(one, `test "$name" = slow || { ${WORK}\n${PROMISE}; exit; }\n${steps}\n${PROMISE}`);
    const slow = startRalph(one, ['run', '--no-auto-merge', promptFor('slow')]);
    await until('its commit', () => existsSync(beside(one, 'books/committed')));
    const ungated = one.git('rev-parse', 'main');
    const failpoints = 'train.named=stop';
    const later = startRalph(one, ['run', '--worktree', promptFor('later')], { failpoints });
    await later.waitFor(/failpoint train\.named stop/);
    tellAgents(one, 'end');
    const ends = await Promise.all([slow.ended, later.ended]);
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(one.git('show', 'main:later.txt')).toBe('made by later');
    for (const ref of ['main', INT]) expect(gitSays(one.git, 'merge-base', '--is-ancestor', ungated, ref)).toBe(false);
  });
});
