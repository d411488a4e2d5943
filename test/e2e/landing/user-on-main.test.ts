import { spawnSync } from 'node:child_process';

import { describe, expect, it } from 'vitest';

import { differences, fingerprint } from '../harness/fingerprint.ts';
import { gitSays, landedTasks } from '../harness/git.ts';
import { ralph, startRalph } from '../harness/ralph.ts';
import type { Result } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { CLAIM, OWN_FILE, readyTrain, userCommits, watchedGate } from '../harness/train.ts';
import type { WatchedGate } from '../harness/train.ts';
import { accountFor, alwaysGreen, INT, isGreen } from '../harness/values.ts';

const TASKS = ['t1', 't2', 't3'];

const gateOf = (one: Scratch): WatchedGate => watchedGate(one, 'test ! -e BROKEN');

/** Three that are ready, and a user with two commits of their own on top. */
const ready = savedScene(async (one) => {
  await readyTrain(one, {
    tasks: TASKS,
    gate: gateOf(one),
    script: `${OWN_FILE}; ${CLAIM}`,
    files: { 'notes.txt': 'as committed\n' },
  });
  userCommits(one, { 'first.txt': 'first\n' }, 'First of mine');
  userCommits(one, { 'second.txt': 'second\n' }, 'Second of mine');
});

interface Prepared {
  readonly one: Scratch;
  readonly gate: WatchedGate;
  /** Lets a train come to its gates, lets the user act, and lets it go on to its end. */
  readonly meanwhile: (act: () => void) => Promise<Result>;
}

async function prepared(publish: string): Promise<Prepared> {
  const one = await ready();
  const gate = gateOf(one);
  const meanwhile = async (act: () => void): Promise<Result> => {
    gate.hold();
    const before = gate.runs();
    const landing = startRalph(one, ['land', '--all', '--publish', publish]);
    await gate.begun(before + 1);
    act();
    gate.letGo();
    return landing.ended;
  };
  return { one, gate, meanwhile };
}

const within = (one: Scratch, commit: string, ref: string): boolean =>
  gitSays(one.git, 'merge-base', '--is-ancestor', commit, ref);

/** Again and again. */
function commits(one: Scratch): void {
  for (const n of [1, 2, 3, 4]) userCommits(one, { [`mine-${n}.txt`]: `${n}\n` }, `Number ${n} of mine`);
}

/** Also what the train had merged already. */
function amends(one: Scratch): void {
  one.put('third.txt', 'third\n');
  one.put('second.txt', 'second, amended\n');
  one.git('add', 'second.txt', 'third.txt');
  one.git('commit', '-q', '--amend', '-m', 'Second of mine, and more');
}

/** One commit is gone, the other one is another. */
const rebases = (one: Scratch): void => void one.git('rebase', '-q', '--onto', 'HEAD~2', 'HEAD~1');

function reorders(one: Scratch): void {
  const [first, second] = [one.git('rev-parse', 'HEAD~1'), one.git('rev-parse', 'HEAD')];
  one.git('reset', '-q', '--hard', 'HEAD~2');
  one.git('cherry-pick', second);
  one.git('cherry-pick', first);
}

describe('S0.9 the user works on main while a train runs', () => {
  it.each([
    { publish: 'end', act: commits },
    { publish: 'each', act: amends },
    { publish: 'end', act: rebases },
    { publish: 'manual', act: reorders },
  ])(
    'case 30: publish = $publish, the user $act.name: what they have then is kept as it is',
    async ({ publish, act }) => {
      const { one, gate, meanwhile } = await prepared(publish);
      let mine = '';
      let files: Record<string, string> = {};
      const { code, stderr } = await meanwhile(() => {
        act(one);
        mine = one.git('rev-parse', 'main');
        files = Object.fromEntries(
          one
            .git('ls-files')
            .split('\n')
            .map((path) => [path, one.git('show', `HEAD:${path}`)]),
        );
      });
      expect(within(one, mine, 'main'), stderr).toBe(true);
      expect(one.git('status', '--porcelain')).toBe('');
      for (const [path, text] of Object.entries(files)) {
        if (path !== 'PRD.md') expect(one.git('show', `main:${path}`), path).toBe(text);
      }
      // What they took back stays away.
      for (const path of ['first.txt', 'second.txt'].filter((each) => !(each in files)))
        expect(gitSays(one.git, 'cat-file', '-e', `main:${path}`), path).toBe(false);

      if (publish === 'manual') expect(one.git('rev-parse', 'main')).toBe(mine);
      expect(code, stderr).toBe(0);
      expect(accountFor(one, TASKS).landed).toEqual(TASKS);
      if (publish !== 'manual') expect(landedTasks(one.git, 'main').sort()).toEqual(TASKS);
      alwaysGreen(one, gate.truth);
    },
  );
});

/** Stops a rebase of the last commit for an edit: main is checked out, and git shows it as detached. */
function stopsMidRebase(one: Scratch): void {
  const env = { ...one.env, GIT_SEQUENCE_EDITOR: "sed -i 's/^pick/edit/'", GIT_EDITOR: 'true' };
  const { status, stderr } = spawnSync('git', ['rebase', '-q', '-i', 'HEAD~1'], {
    cwd: one.repo,
    env,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  expect(gitSays(one.git, 'symbolic-ref', '-q', 'HEAD')).toBe(false);
}

function stopsMidMerge(one: Scratch): void {
  one.git('checkout', '-q', '-b', 'side', 'HEAD~1');
  userCommits(one, { 'second.txt': 'from the side\n' });
  one.git('checkout', '-q', 'main');
  expect(gitSays(one.git, 'merge', '-q', 'side')).toBe(false);
  one.git('rev-parse', 'MERGE_HEAD');
}

function stopsMidCherryPick(one: Scratch): void {
  stopsMidMerge(one);
  one.git('merge', '--abort');
  expect(gitSays(one.git, 'cherry-pick', 'side')).toBe(false);
  one.git('rev-parse', 'CHERRY_PICK_HEAD');
}

function isUntidy(one: Scratch): void {
  one.put('notes.txt', 'edited, not staged\n');
  one.put('staged.txt', 'staged\n');
  one.git('add', 'staged.txt');
  one.put('staged.txt', 'staged, then edited\n');
  one.put('untracked.txt', 'nobody knows\n');
  one.put('.env', 'SECRET=1\n');
}

describe('S0.9 the user is in the middle of something on main', () => {
  it.each([
    { publish: 'end', act: stopsMidRebase, goesOn: ['rebase', '--continue'] },
    { publish: 'each', act: stopsMidMerge, goesOn: ['merge', '--abort'] },
    { publish: 'manual', act: stopsMidCherryPick, goesOn: ['cherry-pick', '--abort'] },
  ])(
    'publish = $publish, the user $act.name: not a byte changes, it can be ended, and then main follows',
    async ({ publish, act, goesOn }) => {
      const { one, gate, meanwhile } = await prepared(publish);
      let before = {};
      const { code, stderr } = await meanwhile(() => {
        act(one);
        before = fingerprint(one.repo);
      });
      expect(differences(before, fingerprint(one.repo))).toEqual([]);
      expect([0, 1, 6]).toContain(code);
      if (publish !== 'manual') expect(stderr).toMatch(/main/);
      expect(accountFor(one, TASKS).landed).toEqual(TASKS);
      one.git('-c', 'core.editor=true', ...goesOn);
      const mine = one.git('rev-parse', 'main');
      const after = await ralph(one, ['land', '--all', '--publish', 'end']);
      expect(after.code, after.stderr).toBe(0);
      expect(within(one, mine, 'main')).toBe(true);
      expect(landedTasks(one.git, 'main').sort()).toEqual(TASKS);
      expect(one.git('status', '--porcelain')).toBe('');
      alwaysGreen(one, gate.truth, { refs: [INT] });
    },
  );

  it('a rebase that ends while the train runs: what it made is kept and merged', async () => {
    const { one, gate, meanwhile } = await prepared('end');
    stopsMidRebase(one);
    let mine = '';
    const { code, stderr } = await meanwhile(() => {
      one.put('third.txt', 'third\n');
      one.git('add', 'third.txt');
      one.git('-c', 'core.editor=true', 'rebase', '--continue');
      mine = one.git('rev-parse', 'main');
    });
    expect(code, stderr).toBe(0);
    expect(within(one, mine, 'main')).toBe(true);
    expect(one.git('show', 'main:third.txt')).toBe('third');
    expect(landedTasks(one.git, 'main').sort()).toEqual(TASKS);
    expect(isGreen(one, 'main', gate.truth)).toBe(true);
  });

  it('files lying about, publish = each: only landed paths change', async () => {
    const { one, gate, meanwhile } = await prepared('each');
    let before = {};
    let status = '';
    const { code, stderr } = await meanwhile(() => {
      isUntidy(one);
      status = one.git('status', '--porcelain');
      before = fingerprint(one.repo);
    });
    expect(code, stderr).toBe(0);
    const published = ['file:PRD.md', ...TASKS.map((task) => `file:${task}.txt`), 'git:index', 'ref:refs/heads/main'];
    expect(differences(before, fingerprint(one.repo))).toEqual(published);
    expect(one.git('status', '--porcelain')).toBe(status);
    alwaysGreen(one, gate.truth);
  });

  it('a file in the way is named, nothing moves; once it is gone, ralph publish moves main', async () => {
    const { one, meanwhile } = await prepared('end');
    let before = {};
    const { code, stderr } = await meanwhile(() => {
      one.put('t2.txt', 'mine, not theirs\n');
      before = fingerprint(one.repo);
    });
    expect([0, 1, 6]).toContain(code);
    expect(stderr).toContain('t2.txt');
    expect(differences(before, fingerprint(one.repo))).toEqual([]);
    expect(accountFor(one, TASKS).landed).toEqual(TASKS);
    one.git('clean', '-fdq', 't2.txt');
    expect((await ralph(one, ['publish'])).code).toBe(0);
    expect(landedTasks(one.git, 'main').sort()).toEqual(TASKS);
    expect(one.git('show', 'main:t2.txt')).toBe('made by t2');
  });
});
