import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { LoopRow } from '../../../src/core/views/loops-view.ts';
import { listOf } from '../harness/answers.ts';
import { everything, differences } from '../harness/fingerprint.ts';
import { gitSays } from '../harness/git.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Result, Running } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const READ = ['logs', 'history', 'diff', 'attach'] as const;

const loops = (one: Scratch, words: readonly string[], cwd = one.repo): Promise<Result> =>
  ralph(one, ['loops', ...words], { cwd });

async function rows(one: Scratch, ...words: string[]): Promise<Readonly<Record<string, LoopRow>>> {
  const { code, stdout, stderr } = await loops(one, ['list', '--json', ...words]);
  expect(code, stderr).toBe(0);
  return Object.fromEntries((listOf(stdout, 'loops') as unknown as LoopRow[]).map((row) => [row.task, row]));
}

/** What is told of a loop without what a moment changes. */
const still = (text: string): string =>
  JSON.stringify((listOf(text, 'loops') as unknown as LoopRow[]).map(({ age_ms: _age, ...row }) => row));

/** One that works until let go, one that landed, one thrown away, one put aside, and two that are ready. */
async function severalLoops(one: Scratch): Promise<Running> {
  project(one, {
    tasks: ['busy', 'done', 'gone', 'stuck', 'twin-a', 'twin-b'],
    byTask: {
      busy: [{ print: 'busy begins\n' }, { waitForFile: { path: beside(one, 'go') } }, ...HONEST],
      stuck: [{ write: { path: 'stuck.txt', text: 'half\n' } }, { exit: 3 }],
    },
    files: { 'deep/down/x.txt': 'x' },
    config: { parallel: { merge_policy: 'manual' }, limits: { consecutive_failures: 1, runtime: '10m' } },
  });
  const run = startRalph(one, ['run', '--parallel', '--max-workers', '6', '--events']);
  const many = (type: string): number => run.events().filter((event) => event.type === type).length;
  await until('all but one at rest', () => many('loop-ready') === 4 && many('loop-parked') === 1);
  await until('that one at work', () => starts(one).some((call) => call.task === 'busy'));
  expect((await ralph(one, ['land', 'done'], { isCheckoutGuarded: false })).code).toBe(0);
  expect((await loops(one, ['discard', 'gone', '-y'])).code).toBe(0);
  return run;
}

describe('ralph loops', () => {
  it('scenario 5, 15: no loops, no such loop: says so and leaves no trace', async () => {
    const one = scratch();
    const before = everything(one.repo);
    for (const words of [[], ['list', '--all']]) {
      const { code, stdout } = await loops(one, words);
      expect([code, stdout]).toEqual([0, 'No loops\n']);
    }
    expect(listOf((await loops(one, ['--json'])).stdout, 'loops')).toEqual([]);
    for (const verb of READ) {
      const { code, stdout, stderr } = await loops(one, [verb, 'nobody']);
      expect([verb, code, stdout]).toEqual([verb, 2, '']);
      expect(stderr).toMatch(/E_UNKNOWN_ID.*no .* is called "nobody"/);
    }
    const logs = await loops(one, ['logs']);
    expect([logs.code, logs.stdout, logs.stderr]).toEqual([0, '', 'no loop has started yet\n']);
    expect((await loops(one, ['dance'])).code).toBe(2);
    expect(differences(before, everything(one.repo))).toEqual([]);
  });

  it('scenario 1, 2, 3, 4, 36, 38, 40, 44: tells every state, during and after, from anywhere', async () => {
    const one = scratch();
    const run = await severalLoops(one);
    await lists(one);
    await answersFromAnywhere(one);
    await showsWork(one);
    await opensShells(one);
    // A host that dies is never told as running, and what its agent said can still be read.
    run.signal('SIGKILL');
    await run.ended;
    const { busy } = await rows(one);
    expect(busy).toMatchObject({
      state: 'stopped',
      reason: 'host-died',
      pid: null,
      next: `ralph loops resume ${busy?.id ?? ''}`,
    });
    writeFileSync(beside(one, 'go'), '');
    expect((await ralph(one, ['run', '--parallel'], { isCheckoutGuarded: false })).code).toBe(1);
    expect((await rows(one))['busy']).toMatchObject({ state: 'ready', gates: 'green', iterations: 1 });
    const { stdout } = await loops(one, ['history', 'busy']);
    expect(stdout).toMatch(/starts in slot[^]*host .* is gone[^]*continues in slot[^]*gates green[^]*is ready/);
  });
});

async function lists(one: Scratch): Promise<void> {
  const all = await rows(one, '--all');
  const { stdout } = await loops(one, []);
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toBe('Loops: 1 at-work, 2 ready, 1 parked, 1 landed, 1 discarded');
  expect(lines[1]).toMatch(/^ID +STATE +AGE +ITER +GATES +COST +PLACE +BRANCH +TASK +NEXT$/);
  expect(lines).toHaveLength(7);
  expect(lines[6]).toBe('not shown: 1 landed, 1 discarded; with them: ralph loops --all');
  for (const [task, state] of [
    ['busy', String.raw`at-work \(iterating\)`],
    ['twin-a', 'ready'],
    ['stuck', String.raw`parked \(failures\)`],
  ] as const) {
    const { id, branch, next } = all[task] ?? expect.fail(task);
    const told = lines.find((line) => line.startsWith(`${id} `)) ?? '';
    expect(told).toMatch(
      new RegExp(`^${id} +${state} +\\d+[smhd] +1 +(-|green) +- +worktree +${branch} +Make ${task} `),
    );
    expect(told.endsWith(next)).toBe(true);
  }
  expect(all['stuck']?.next).toBe(`ralph loops resume ${all['stuck']?.id ?? ''}`);
  expect(all['twin-a']?.next).toBe(`ralph land ${all['twin-a']?.id ?? ''}`);
  const commit = one.git('rev-parse', 'main');
  expect(all['done']).toMatchObject({ state: 'landed', commit, next: `git show ${commit.slice(0, 12)}` });
  const narrow = (await ralph(one, ['loops', '--all'], { env: { COLUMNS: '80' } })).stdout.trimEnd().split('\n');
  expect(narrow.filter((line) => line.length > 80)).toEqual([]);
  for (const { id, next } of Object.values(all)) expect(narrow.join('\n')).toMatch(new RegExp(`${id} [^]*${next}`));
  const whole = (await loops(one, ['list', '--all'])).stdout;
  expect(whole).toMatch(new RegExp(`landed .* ${commit.slice(0, 12)} +git show`));
  expect(whole).toMatch(/discarded .* ralph keep list/);
  expect(Object.keys(await rows(one)).sort()).toEqual(['busy', 'stuck', 'twin-a', 'twin-b']);
  expect(all['busy']).toMatchObject({ prompt: 'Make busy', place: 'worktree', gates: null });
  expect(Object.keys(all).every((task) => gitSays(one.git, 'check-ref-format', all[task]?.branch ?? '~'))).toBe(true);
}

async function answersFromAnywhere(one: Scratch): Promise<void> {
  const inside = starts(one).find((call) => call.task === 'busy')?.cwd ?? '';
  const twin = (await rows(one))['twin-a']?.worktree ?? '';
  const asked = [
    ['--all', '--json'],
    ['history', 'twin-a'],
    ['logs', 'twin-a'],
    ['diff', 'done'],
  ];
  const everywhere = asked.map(async (words) => {
    // The list from everywhere, the others from one place more each.
    const places = words[0] === '--all' ? [join(one.repo, 'deep/down'), inside, twin] : [inside];
    const [here, ...others] = await Promise.all([one.repo, ...places].map((cwd) => loops(one, words, cwd)));
    expect(here?.code, here?.stderr).toBe(0);
    const same = (text = ''): string => (words[0] === '--all' ? still(text) : text);
    for (const other of others) expect(same(other.stdout)).toBe(same(here?.stdout));
  });
  const ambiguous = READ.slice(0, 2).map(async (verb) => {
    const { code, stderr } = await loops(one, [verb, 'twin']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/E_AMBIGUOUS_ID[^]*twin-a[^]*twin-b/)]);
  });
  await Promise.all([...everywhere, ...ambiguous]);
}

async function showsWork(one: Scratch): Promise<void> {
  const all = await rows(one, '--all');
  const follow = startRalph(one, ['loops', 'logs', 'busy', '-f']);
  await follow.waitFor(/busy begins/);
  // After clean-up: the branch is gone, the worktree given back, and all it said and made is still to be seen.
  for (const task of ['done', 'gone']) {
    const { id = '', branch = '' } = all[task] ?? {};
    expect(gitSays(one.git, 'rev-parse', '--verify', `refs/heads/${branch}`)).toBe(false);
    expect((await loops(one, ['logs', id])).stdout).toMatch(/iteration 1[^]*COMPLETE/);
    expect(existsSync(join(one.repo, '.git/paralph/runs', id, '1/stdout.log'))).toBe(true);
    const { stdout, stderr } = await loops(one, ['diff', id]);
    expect(stdout).toContain(`+made by ${task}`);
    expect(stdout).not.toContain('PRD.md');
    expect(stderr).toMatch(task === 'done' ? /landed as [0-9a-f]{40}/ : /is gone; this is what was kept/);
    const told = await loops(one, ['history', id, '--json']);
    const { events } = JSON.parse(told.stdout) as { events: { type: string; at: string; line: string }[] };
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(['task-claimed', 'worktree-made']);
    expect(types).toContain(task === 'done' ? 'loop-landed' : 'loop-discarded');
    expect(events.every(({ at, line }) => /^\d{4}-.*Z$/.test(at) && line !== '')).toBe(true);
  }
  expect((await loops(one, ['logs', 'twin-b', '--raw', '--iteration', '1'])).stdout).toContain('<promise>');
  expect((await loops(one, ['diff', 'twin-a', '--stat'])).stdout).toMatch(/twin-a\.txt \| 1 \+\n 1 file changed/);
  const begun = await loops(one, ['diff', 'busy']);
  expect([begun.code, begun.stdout]).toEqual([0, '']);
  expect(begun.stderr).toMatch(/changes nothing since it left main/);
  writeFileSync(join(all['busy']?.worktree ?? '', 'draft.txt'), 'not committed\n');
  // Of a loop at work: with what it has not committed yet.
  const soFar = await loops(one, ['diff', 'busy']);
  expect([soFar.stdout, soFar.stderr]).toEqual([
    expect.stringContaining('+not committed'),
    expect.stringMatching(/with what is not committed yet in \S+/),
  ]);
  rmSync(join(all['busy']?.worktree ?? '', 'draft.txt'));
  follow.signal('SIGTERM');
  await follow.ended;
}

async function opensShells(one: Scratch): Promise<void> {
  const all = await rows(one, '--all');
  const seen = beside(one, 'seen');
  writeFileSync(beside(one, 'shell'), `#!/bin/sh\npwd > ${seen}\nenv >> ${seen}\nexit 7\n`, { mode: 0o755 });
  const env = { SHELL: beside(one, 'shell'), RALPH_TOKEN: 'secret', GIT_DIR: '/nowhere', MINE: 'yes' };
  const attach = (id: string, more = {}): Promise<Result> =>
    ralph(one, ['loops', 'attach', id], { env: { ...env, ...more } });
  const busy = await attach('busy');
  expect([busy.code, busy.stderr]).toEqual([0, expect.stringMatching(/an agent works in .* now/)]);
  const [folder, ...told] = readFileSync(seen, 'utf8').split('\n');
  expect(folder).toBe(all['busy']?.worktree);
  expect(told).toEqual(expect.arrayContaining([`RALPH_WORKTREE=${folder ?? ''}`, 'RALPH_TASK_ID=busy', 'MINE=yes']));
  expect(told.join('\n')).not.toMatch(/secret|nowhere|RALPH_LOOP_ID/);
  const quiet = await attach('twin-a');
  expect([quiet.code, quiet.stderr]).toEqual([0, expect.not.stringContaining('an agent works')]);
  const none = await attach('twin-a', { SHELL: '/no/such/shell' });
  expect([none.code, none.stderr]).toEqual([4, expect.stringContaining('E_PROCESS')]);
  const nested = await attach('twin-a', { RALPH_LOOP_ID: 'x' });
  expect([nested.code, nested.stderr]).toEqual([2, expect.stringContaining('E_NESTED')]);
  for (const [task, remedy] of [
    ['done', /git worktree add --detach \.\.\/\S+ [0-9a-f]{12}/],
    ['gone', /ralph keep restore \S+ --worktree \.\.\//],
  ] as const) {
    const { code, stderr } = await attach(task);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/E_NO_WORKTREE[^]*fix: /)]);
    expect(stderr).toMatch(remedy);
  }
}
