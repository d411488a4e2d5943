import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { listOf } from '../harness/answers.ts';
import { differences, everything, fingerprint } from '../harness/fingerprint.ts';
import { gitIn, gitSays, refsBelow } from '../harness/git.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';

const branchOf = (one: Scratch, task: string): string =>
  refsBelow(one.git, 'refs/heads/ralph/').find((ref) => ref.startsWith(`refs/heads/ralph/${task}-`)) ?? '';

/** A clone whose usual branch is develop, with an old main beside it, and three loops that are ready. */
async function readyLoops(): Promise<Scratch> {
  const one = scratch();
  project(one, {
    tasks: ['fix', 'hot-fix', 'clash'],
    byTask: { clash: [{ write: { path: 'user.txt', text: 'agent\n' } }, { claim: true }] },
    agent: [{ write: { path: '${task}-1.txt', text: '1\n' } }, { commit: 'First half' }, ...HONEST],
    config: { parallel: { merge_policy: 'manual' } },
  });
  one.git('branch', '-m', 'main', 'develop');
  one.git('branch', 'main', 'develop~1');
  one.git('init', '-q', '--bare', '-b', 'develop', beside(one, 'origin.git'));
  one.git('remote', 'add', 'origin', beside(one, 'origin.git'));
  one.git('push', '-q', '-u', 'origin', 'develop');
  one.git('remote', 'set-head', 'origin', 'develop');
  expect((await ralph(one, ['run', '--parallel'])).code).toBe(0);
  return one;
}

function userCommits(one: Scratch, text: string): string {
  one.put('user.txt', text);
  one.git('add', 'user.txt');
  one.git('commit', '-qm', 'Mine');
  return one.git('rev-parse', 'develop');
}

describe('what others look at before it lands', () => {
  it('scenario 20, 21, 22: a branch is pushed with a summary, kept up to date, and lands on the right one', async () => {
    const one = await readyLoops();
    const origin = gitIn(beside(one, 'origin.git'), one.env);
    const main = one.git('rev-parse', 'main');
    const canary = beside(one, 'canary');
    writeFileSync(join(one.repo, '.git/hooks/pre-push'), `#!/bin/sh\ntouch ${canary}\n`);
    chmodSync(join(one.repo, '.git/hooks/pre-push'), 0o755);
    const [fix, hotFix, clash] = ['fix', 'hot-fix', 'clash'].map((task) => branchOf(one, task)) as [
      string,
      string,
      string,
    ];
    const name = fix.slice('refs/heads/'.length);

    for (const odd of [
      ['--remote', `ext::sh -c "touch ${canary}"`],
      ['--remote', '--upload-pack=x'],
      ['--remote-branch', `a;touch ${canary}`],
      ['--remote-branch', 'develop'],
      ['--remote-branch', 'main'],
    ]) {
      const refused = await ralph(one, ['loops', 'publish-review', 'fix', ...odd]);
      if (refused.code !== 2) expect([odd, refused.code]).toEqual([['--remote-branch', `a;touch ${canary}`], 0]);
    }
    const pushed = await ralph(one, ['loops', 'publish-review', 'fix', '--json', '--remote-branch', 'review/fix']);
    expect(JSON.parse(pushed.stdout)).toMatchObject({
      branch: name,
      base: 'develop',
      remote_branch: 'review/fix',
      commits: expect.arrayContaining(['First half']) as unknown,
      files: ['fix-1.txt', 'fix.txt'],
    });
    expect(origin('rev-parse', 'review/fix')).toBe(one.git('rev-parse', fix));
    const summary = readFileSync((JSON.parse(pushed.stdout) as { summary: string }).summary, 'utf8');
    for (const part of [name, 'Base: `develop`', 'First half', 'fix-1.txt', 'Gates: `green`'])
      expect(summary).toContain(part);
    expect((await ralph(one, ['loops', 'publish-review', 'fix', '--remote-branch', 'review/fix'])).code).toBe(0);
    expect(existsSync(canary)).toBe(false);

    const base = userCommits(one, 'user\n');
    const user = fingerprint(one.repo);
    const before = { hotFix: one.git('rev-parse', hotFix), fix: one.git('rev-parse', fix) };
    const single = await ralph(one, ['loops', 'rebase', 'fix', '--json']);
    expect([single.code, listOf(single.stdout, 'loops')]).toMatchObject([0, [{ how: 'rebased', pushed: false }]]);
    const listed = listOf((await ralph(one, ['loops', '--json'])).stdout, 'loops') as unknown as {
      task: string;
      gates: string | null;
    }[];
    expect(
      listed.filter(({ gates }) => gates === null).map(({ task }) => task),
      'no gate has seen it',
    ).toEqual(['fix']);
    expect(gitSays(one.git, 'merge-base', '--is-ancestor', base, fix)).toBe(true);
    expect(one.git('rev-list', '--count', `${base}..${fix}`)).toBe('2');
    expect(one.git('rev-parse', hotFix), 'ids that end alike are not confused').toBe(before.hotFix);
    expect(refsBelow(one.git, 'refs/paralph/keep/').map((ref) => one.git('rev-parse', ref))).toContain(before.fix);
    const own = gitIn(starts(one).find((call) => call.task === 'fix')?.cwd ?? '', one.env);
    expect([own('status', '--porcelain'), own('rev-parse', 'HEAD')]).toEqual(['', one.git('rev-parse', fix)]);
    expect(origin('rev-parse', 'review/fix')).toBe(before.fix);

    const bare = starts(one).find((call) => call.task === 'hot-fix')?.cwd ?? '';
    one.git('worktree', 'remove', '--force', '--force', bare);
    const clashed = one.git('rev-parse', clash);
    const all = await ralph(one, ['loops', 'rebase', '--push', '--no-fetch', '--json'], {
      cwd: join(one.repo, '.ralph'),
    });
    expect(all.code).toBe(1);
    const lines = new Map(listOf(all.stdout, 'loops').map((line) => [String(line['branch']), line]));
    expect(lines.get(name)).toMatchObject({ how: 'current', pushed: true });
    expect(lines.get(hotFix.slice('refs/heads/'.length))).toMatchObject({ how: 'rebased', pushed: false });
    expect(lines.get(clash.slice('refs/heads/'.length))).toMatchObject({ how: 'conflict', paths: ['user.txt'] });
    expect(all.stderr).toMatch(
      /conflicts with develop in user\.txt; nothing was changed\. to resolve: git -C \S+ merge develop/,
    );
    expect(origin('rev-parse', 'review/fix')).toBe(one.git('rev-parse', fix));
    expect(gitSays(one.git, 'merge-base', '--is-ancestor', base, hotFix)).toBe(true);
    expect(one.git('rev-parse', clash)).toBe(clashed);
    const changed = differences(user, fingerprint(one.repo));
    expect(changed.filter((what) => !/ralph\/|\.ralph|remotes\/origin\/review/.test(what))).toEqual([]);

    origin('update-ref', 'refs/heads/review/fix', origin('rev-parse', 'develop'));
    userCommits(one, 'user again\n');
    const stale = await ralph(one, ['loops', 'rebase', 'fix', '--push']);
    expect([stale.code, stale.stderr]).toEqual([6, expect.stringContaining('not as it was pushed from here')]);
    expect(origin('rev-parse', 'review/fix')).toBe(origin('rev-parse', 'develop'));

    // What is rebased is what lands, and what others build on.
    const tip = one.git('rev-parse', fix);
    const planned = await ralph(one, ['land', 'fix', '--dry-run', '--json']);
    expect(listOf(planned.stdout, 'land')).toMatchObject([{ head: tip }]);
    one.put(
      'PRD.md',
      `${readFileSync(join(one.repo, 'PRD.md'), 'utf8')}- [ ] More <!-- id: more, depends on: fix -->\n`,
    );
    one.git('commit', '-qam', 'Plan more');
    const built = await ralph(one, ['run', '--parallel']);
    expect(built.code, built.stderr).toBe(0);
    expect(gitSays(one.git, 'merge-base', '--is-ancestor', tip, branchOf(one, 'more'))).toBe(true);

    for (const task of ['fix', 'hot-fix', 'more']) expect((await ralph(one, ['loops', 'merge', task])).code).toBe(0);
    expect(['fix.txt', 'hot-fix.txt', 'more.txt'].every((file) => existsSync(join(one.repo, file)))).toBe(true);
    expect([one.git('rev-parse', 'main'), one.git('symbolic-ref', '--short', 'HEAD')]).toEqual([main, 'develop']);
    expect(Object.keys(everything(one.repo)).some((file) => file.includes('canary'))).toBe(false);
  });
});
