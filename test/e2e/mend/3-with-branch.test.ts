import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { listOf } from '../harness/answers.ts';
import { promptFor, promptProject, PROMISE, readBook, tellAgents, writeAgent } from '../harness/prompt-project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const COMMITS_SH = `echo "made by $name" > "$name.txt"\ngit add "$name.txt"\ngit commit -q -m "Make $name"\n${PROMISE}`;

/** A worktree of a person's on a branch of its own, with a commit that is not finished. */
function feature(one: Scratch, name = 'feature/x'): string {
  const path = beside(one, name.replace('/', '-'));
  one.git('worktree', 'add', '-q', '-b', name, path, 'main');
  commitIn(one, path, 'begun.txt', 'Begin what is not done');
  return path;
}

function commitIn(one: Scratch, path: string, file: string, subject: string): string {
  writeFileSync(join(path, file), `yours: ${subject}\n`);
  one.git('-C', path, 'add', file);
  one.git('-C', path, 'commit', '-q', '-m', subject);
  return one.git('-C', path, 'rev-parse', '--short=10', 'HEAD');
}

const isOnMain = (one: Scratch, file: string): boolean => one.git('ls-tree', '--name-only', 'main').includes(file);

/** As promptProject, with every setting of `[parallel]` at its default. */
function plainProject(one: Scratch, script?: string): void {
  promptProject(one, script);
  const set = one.git('show', 'HEAD:ralph.toml').replace(/\n\[parallel\]\nmerge_policy = .*\n/, '\n');
  one.put('ralph.toml', `${set}\n`);
  one.git('commit', '-q', '-am', 'Leave the policy at its default');
}

describe('a prompt in a feature worktree', () => {
  it('mend 3: holds commits of yours: stays ready, says which, and lands all of it with --with-branch', async () => {
    const one = scratch();
    plainProject(one, COMMITS_SH);
    const path = feature(one);
    const begun = one.git('-C', path, 'rev-parse', '--short=10', 'HEAD');
    const main = one.git('rev-parse', 'main');
    const run = await ralph(one, ['run', promptFor('header')], { cwd: path });
    expect(run.code, run.stderr).toBe(0);
    expect([one.git('rev-parse', 'main'), isOnMain(one, 'begun.txt')]).toEqual([main, false]);
    expect(run.stderr).toContain('0 landed, 1 ready, 0 parked');
    expect(run.stderr).toContain(`${begun} Begin what is not done`);
    const [, id = ''] = /next: ralph land (\S+) --with-branch/.exec(run.stderr) ?? [];
    expect(id, run.stderr).toMatch(/^make-header-now-/);
    const listed = listOf((await ralph(one, ['loops', '--json'])).stdout, 'loops') as unknown as Record<
      string,
      unknown
    >[];
    expect(listed).toMatchObject([
      { state: 'ready', next: `ralph land ${id} --with-branch`, why: expect.stringContaining(begun) },
    ]);
    expect((await ralph(one, ['why', id])).stdout).toContain(begun);

    for (const args of [
      ['land', id],
      ['loops', 'merge', id],
      ['land', id, '--dry-run'],
    ]) {
      const refused = await ralph(one, args);
      expect([refused.code, refused.stderr], args.join(' ')).toEqual([
        6,
        expect.stringMatching(new RegExp(`${begun} Begin what is not done[^]*fix: ralph land ${id} --with-branch`)),
      ]);
    }
    const all = await ralph(one, ['land', '--all']);
    expect([all.code, all.stderr]).toEqual([0, expect.stringContaining(`ralph land ${id} --with-branch`)]);
    expect(one.git('rev-parse', 'main')).toBe(main);

    const landed = await ralph(one, ['land', id, '--with-branch']);
    expect([landed.code, landed.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    expect([isOnMain(one, 'begun.txt'), isOnMain(one, 'header.txt')]).toEqual([true, true]);

    // What a landed loop brought is nobody's any more: the next one lands by itself.
    const next = await ralph(one, ['run', promptFor('footer')], { cwd: path });
    expect([next.code, next.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    expect(isOnMain(one, 'footer.txt')).toBe(true);
  });

  it('mend 3: commits you make while it works, or after it is ready, are not its own either', async () => {
    const one = scratch();
    plainProject(one, `hold go\n${COMMITS_SH}`);
    const path = beside(one, 'feature');
    one.git('worktree', 'add', '-q', '-b', 'feature', path, 'main');
    const running = startRalph(one, ['run', promptFor('header')], { cwd: path });
    await until('the agent works', () => readBook(one, 'header.pwd') !== '' || null);
    const mine = commitIn(one, path, 'mine.txt', 'Commit beside the loop');
    tellAgents(one, 'go');
    const run = await running.ended;
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining(`${mine} Commit beside the loop`)]);
    expect(run.stderr).not.toContain('Make header');
    expect(isOnMain(one, 'mine.txt')).toBe(false);

    const other = beside(one, 'other');
    one.git('worktree', 'add', '-q', '-b', 'other', other, 'main');
    const ready = await ralph(one, ['run', '--no-auto-merge', promptFor('footer')], { cwd: other });
    expect([ready.code, ready.stderr]).toEqual([0, expect.stringMatching(/1 ready[^]*next: ralph land/)]);
    const [, id = ''] = /next: ralph land (\S+)/.exec(ready.stderr) ?? [];
    const later = commitIn(one, other, 'later.txt', 'Commit after it is ready');
    const refused = await ralph(one, ['land', id]);
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining(`${later} Commit after it is ready`)]);
    one.git('-C', other, 'reset', '-q', '--hard', 'HEAD~1');
    const landed = await ralph(one, ['land', id]);
    expect([landed.code, isOnMain(one, 'footer.txt'), isOnMain(one, 'later.txt')]).toEqual([0, true, false]);
  });

  it('mend 3: of a squashed loop nothing is left that is not its own; an amended commit of yours stays yours', async () => {
    const one = scratch();
    plainProject(one, COMMITS_SH);
    const squash = ['--set', 'landing.method=squash'];
    const path = beside(one, 'feature');
    one.git('worktree', 'add', '-q', '-b', 'feature', path, 'main');
    for (const name of ['header', 'footer']) {
      const run = await ralph(one, ['run', ...squash, promptFor(name)], { cwd: path });
      expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    }
    expect(isOnMain(one, 'footer.txt')).toBe(true);
    commitIn(one, path, 'mine.txt', 'Begin mine');
    writeAgent(one, `echo more > "$name.txt"\ngit add -A\ngit commit -q --amend --no-edit\n${PROMISE}`);
    const amended = await ralph(one, ['run', promptFor('aside')], { cwd: path, isCheckoutGuarded: false });
    expect([amended.code, amended.stderr]).toEqual([0, expect.stringMatching(/1 ready[^]*Begin mine/)]);
    expect(isOnMain(one, 'mine.txt')).toBe(false);
  });

  it('mend 3: lands by itself at the default policy; a manual that you wrote holds, pr wants a forge', async () => {
    const one = scratch();
    plainProject(one);
    // Your own commits on the target are the target's.
    commitIn(one, one.repo, 'yours.txt', 'Work on main');
    const ways: readonly (readonly [string, readonly string[], Record<string, string>, RegExp])[] = [
      ['usual', [], {}, /1 landed/],
      ['flag', ['--no-auto-merge'], {}, /1 ready/],
      ['policy', ['--merge-policy', 'manual'], {}, /1 ready/],
      ['variable', [], { RALPH_PARALLEL_MERGE_POLICY: 'manual' }, /1 ready/],
    ];
    for (const [name, flags, env, said] of ways) {
      const run = await ralph(one, ['run', '--worktree', ...flags, promptFor(name)], { env });
      expect([run.code, run.stderr], name).toEqual([0, expect.stringMatching(said)]);
      expect(isOnMain(one, `${name}.txt`), name).toBe(name === 'usual');
    }
    const inPlace = await ralph(one, ['run', promptFor('here')]);
    expect([inPlace.code, isOnMain(one, 'here.txt')]).toEqual([0, true]);
    const pr = await ralph(one, ['run', '--merge-policy', 'pr', promptFor('pull')]);
    expect([pr.code, pr.stderr]).toEqual([4, expect.stringContaining('pull requests have nowhere to go')]);
    // What `ralph init` writes is nobody's choice yet.
    const fresh = scratch();
    expect((await ralph(fresh, ['init'])).code).toBe(0);
    const shown = await ralph(fresh, ['config', 'list', '--show-origin']);
    expect(shown.stdout).toMatch(/default +parallel\.merge_policy/);
    one.put('ralph.local.toml', '[parallel]\nmerge_policy = "manual"\n');
    const written = await ralph(one, ['run', '--worktree', promptFor('written')], { isCheckoutGuarded: false });
    expect([written.code, written.stderr]).toEqual([0, expect.stringMatching(/1 ready/)]);
  });
});
