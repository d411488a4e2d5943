import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { differences, everything, fingerprint } from '../harness/fingerprint.ts';
import type { Fingerprint } from '../harness/fingerprint.ts';
import { gitIn, gitSays, refsBelow } from '../harness/git.ts';
import { isAlive } from '../harness/processes.ts';
import { HONEST, project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Result } from '../harness/ralph.ts';
import { savedScene } from '../harness/saved.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const RUN = ['run', '--parallel', '--max-workers', '3'];

interface Parked {
  readonly one: Scratch;
  readonly path: string;
  readonly branch: string;
}

const ranOnce = savedScene(async (one) => {
  project(one, {
    tasks: ['good', 'bad'],
    byTask: { bad: [{ write: { path: 'bad.txt', text: 'committed\n' } }, { exit: 3 }] },
    config: { limits: { consecutive_failures: 1 } },
  });
  expect((await ralph(one, RUN)).code).toBe(1);
});

/** One task that lands, one that is parked; in the worktree of the second there is staged, changed and new work. */
async function afterARun(): Promise<Parked> {
  const one = await ranOnce();
  const path = starts(one).find((call) => call.task === 'bad')?.cwd ?? '';
  const git = gitIn(path, one.env);
  writeFileSync(join(path, 'bad.txt'), 'staged\n');
  git('add', 'bad.txt');
  writeFileSync(join(path, 'bad.txt'), 'changed after that\n');
  writeFileSync(join(path, 'new\nname.txt'), 'new\n');
  writeFileSync(join(path, '.env'), 'KEY=1\n', { mode: 0o600 });
  symlinkSync('bad.txt', join(path, 'link'));
  rmSync(join(path, 'README.md'));
  return { one, path, branch: git('symbolic-ref', '--short', 'HEAD') };
}

/** Files, index and what git says of a worktree. */
function portrait(one: Scratch, path: string): Fingerprint {
  const git = gitIn(path, one.env);
  const status = { status: git('status', '--porcelain=v2', '-z', '--branch'), index: git('ls-files', '-s', '-z') };
  const { '.git': _link, ...files } = everything(path);
  return { ...files, ...status };
}

const json = (result: Result): Record<string, unknown> => JSON.parse(result.stdout) as Record<string, unknown>;
const keepsOf = async (one: Scratch): Promise<Record<string, unknown>[]> =>
  json(await ralph(one, ['keep', 'list', '--json']))['keeps'] as Record<string, unknown>[];

const isSafe = (one: Scratch, path: string): boolean =>
  existsSync(join(path, 'bad.txt')) ||
  refsBelow(one.git, 'refs/paralph/keep/').some((ref) => gitSays(one.git, 'cat-file', '-e', `${ref}:link`));

describe('discard, keep and undo', () => {
  it('scenario 10, S2.5: discarded work is kept, shown, restored and taken back as it was', async () => {
    const { one, path, branch } = await afterARun();
    const before = portrait(one, path);
    const user = fingerprint(one.repo);
    const tip = one.git('rev-parse', branch);

    const unasked = await ralph(one, ['loops', 'discard', 'bad']);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringMatching(/fix: ralph loops discard bad-\w+ -y/)]);
    const inLoop = await ralph(one, ['loops', 'discard', 'bad', '-y'], { env: { RALPH_LOOP_ID: 'x' } });
    expect([inLoop.code, inLoop.stderr]).toEqual([2, expect.stringContaining('E_NESTED')]);
    const odd = '../$(touch pwned)"; touch pwned\n';
    expect((await ralph(one, ['loops', 'discard', odd, '-y'])).code).toBe(2);
    expect((await ralph(one, ['keep', 'restore', odd])).code).toBe(2);
    expect((await ralph(one, ['loops', 'discard', 'good', '-y'])).stderr).toContain('has landed');
    expect(portrait(one, path)).toEqual(before);

    const done = await ralph(one, ['loops', 'discard', 'bad', '-y']);
    expect(done.code).toBe(0);
    const id = /kept as (\S+): its commits, 5 uncommitted files/.exec(done.stderr)?.[1] ?? '';
    expect(done.stderr).toContain(`ralph undo   as a branch: ralph keep restore ${id}`);
    expect(existsSync(path)).toBe(false);
    expect(gitSays(one.git, 'rev-parse', '--verify', branch)).toBe(false);
    const [keep] = await keepsOf(one);
    const ref = `refs/paralph/keep/${id}`;
    expect(one.git('rev-parse', ref)).toBe((keep as unknown as { commit: string }).commit);
    expect((await ralph(one, ['keep', 'show', ref])).stdout).toContain(id);
    expect(keep).toMatchObject({ id, ref, act: 'discard', task: 'bad', branch, path, files: 5, landed: false });
    const shown = await ralph(one, ['keep', 'show', id.slice(0, -4)]);
    expect(shown.stdout).toMatch(/1 not on main[\s\S]*Uncommitted[\s\S]*bad\.txt/);
    expect((await ralph(one, ['keep', 'show', id, '--patch'])).stdout).toContain('+changed after that');

    const elsewhere = beside(one, 'elsewhere');
    expect((await ralph(one, ['keep', 'restore', id, '--branch', 'main'])).code).toBe(6);
    const restored = await ralph(one, ['keep', 'restore', id.split('/')[1] ?? '', '--worktree', elsewhere]);
    expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining(`git -C ${elsewhere} status`)]);
    const { status, ...files } = portrait(one, elsewhere);
    const { status: was, ...asBefore } = before;
    expect(files).toEqual(asBefore);
    expect(status?.replace(/branch\.head \S+/, '')).toBe(was?.replace(/branch\.head \S+/, ''));
    await ralph(one, ['keep', 'restore', id]);
    expect(one.git('show', `${/restored\/bad-\w+-2$/m.exec(one.git('branch'))?.[0] ?? ''}:bad.txt`)).toBe(
      'changed after that',
    );

    expect((await ralph(one, ['undo'])).code).toBe(0);
    expect(portrait(one, path)).toEqual(before);
    expect(one.git('rev-parse', branch)).toBe(tip);
    expect((await ralph(one, ['parallel', 'list'])).stdout).toMatch(/stopped\s+bad/);
    expect((await ralph(one, ['undo'])).stderr).toContain('nothing to undo');
    const changed = differences(user, fingerprint(one.repo));
    expect(changed.filter((name) => !name.startsWith('ref:refs/heads/restored/'))).toEqual([]);
  });

  it('undo says what stands in the way, and goes one act further back each time', async () => {
    const { one, path, branch } = await afterARun();
    await ralph(one, ['parallel', 'clean']);
    const before = portrait(one, path);
    await ralph(one, ['loops', 'discard', 'bad', '-y']);
    one.git('branch', branch, 'main');
    const taken = await ralph(one, ['undo']);
    expect([taken.code, taken.stderr]).toEqual([
      6,
      expect.stringMatching(/with other commits[\s\S]*fix: ralph keep restore bad/),
    ]);
    one.git('branch', '-D', branch);
    mkdirSync(path);
    writeFileSync(join(path, 'mine'), 'mine');
    expect((await ralph(one, ['undo', '--json'])).code).toBe(6);
    expect(readFileSync(join(path, 'mine'), 'utf8')).toBe('mine');
    rmSync(path, { recursive: true });
    expect((await ralph(one, ['undo'])).code).toBe(0);
    expect(portrait(one, path)).toEqual(before);
    const last = await ralph(one, ['undo']);
    expect(last.stderr).toContain('nothing to undo');
  });

  it('killed anywhere between, discard and undo go on from there', async () => {
    const { one, path } = await afterARun();
    const before = portrait(one, path);
    // At clean.kept and clean.folder: worktree-commands.test.ts and keep-prune.test.ts.
    const points = ['keep.pinned', 'clean.entry', 'clean.branch'];
    for (const point of points) {
      const killed = await ralph(one, ['loops', 'discard', 'bad', '-y'], { failpoints: `${point}=kill` });
      expect(killed.signal, point).toBe('SIGKILL');
      expect(isSafe(one, path), point).toBe(true);
      const again = await ralph(one, ['loops', 'discard', 'bad', '-y']);
      expect([point, again.code, again.stderr]).toEqual([point, 0, expect.any(String)]);
      expect(existsSync(path)).toBe(false);
      const half = ['undo.branch', 'undo.done', 'undo.entry'][points.indexOf(point)];
      expect((await ralph(one, ['undo'], { failpoints: `${half}=kill` })).signal, half).toBe('SIGKILL');
      if (half !== 'undo.done') expect((await ralph(one, ['undo'])).code, point).toBe(0);
      expect(portrait(one, path), point).toEqual(before);
    }
  });
});

describe('a loop that works', () => {
  it('scenario 37: is refused, and with --force its host lets go first; nothing it wrote is lost', async () => {
    const one = scratch();
    const agent = [
      { write: { path: 'half.txt', text: 'half\n' } },
      { waitForFile: { path: beside(one, 'go') } },
      ...HONEST,
    ];
    project(one, { tasks: ['slow'], agent, config: { limits: { attempts: 1 } } });
    const run = startRalph(one, RUN);
    await until('the agent has written', () => starts(one).some((call) => existsSync(join(call.cwd, 'half.txt'))));
    const [call] = starts(one);
    const busy = await ralph(one, ['loops', 'discard', 'slow', '-y']);
    expect([busy.code, busy.stderr]).toEqual([5, expect.stringMatching(/is working[\s\S]*--force/)]);
    const forced = await ralph(one, ['loops', 'discard', 'slow', '--force', '-y'], { isCheckoutGuarded: false });
    expect([forced.code, forced.stderr]).toEqual([0, expect.stringContaining('kept as')]);
    expect(isAlive(call?.pid ?? 0)).toBe(false);
    expect(existsSync(call?.cwd ?? '')).toBe(false);
    const kept = refsBelow(one.git, 'refs/paralph/keep/');
    expect(kept.some((ref) => gitSays(one.git, 'cat-file', '-e', `${ref}:half.txt`))).toBe(true);
    writeFileSync(beside(one, 'go'), '');
    run.signal('SIGTERM');
    await run.ended;
  });

  it('whose host was killed: its agent is ended by what it is, and the rest is kept', async () => {
    const one = scratch();
    const agent = [
      { write: { path: 'half.txt', text: 'half\n' } },
      { waitForFile: { path: beside(one, 'go') } },
      ...HONEST,
    ];
    project(one, { tasks: ['slow'], agent });
    const run = startRalph(one, RUN);
    await until('the agent has written', () => starts(one).some((call) => existsSync(join(call.cwd, 'half.txt'))));
    run.signal('SIGKILL');
    await run.ended;
    const [call] = starts(one);
    expect((await ralph(one, ['loops', 'discard', 'slow', '-y'])).code).toBe(5);
    expect((await ralph(one, ['loops', 'discard', 'slow', '--force', '-y'])).code).toBe(0);
    expect(isAlive(call?.pid ?? 0)).toBe(false);
    // Nothing that its agent may have planted is distrusted any more: it was looked at.
    expect(readdirSync(join(one.repo, '.git/paralph/seals'))).toEqual([]);
    expect((await ralph(one, ['undo'])).code).toBe(0);
    expect(readFileSync(join(call?.cwd ?? '', 'half.txt'), 'utf8')).toBe('half\n');
  });
});
