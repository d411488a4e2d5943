import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { gitIn } from '../harness/git.ts';
import { project, starts } from '../harness/project.ts';
import { type RalphOptions, type Result, beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const worktree = (one: Scratch, args: readonly string[], options: RalphOptions = {}): Promise<Result> =>
  ralph(one, ['worktree', ...args], options);

describe('ralph worktree', () => {
  it('makes, shows, keeps and removes worktrees for a person, from any folder', async () => {
    const one = scratch();
    const { git, repo } = one;
    one.put(
      'ralph.toml',
      '[worktree]\npath = "../trees/<name>"\nsetup = ["echo at $RALPH_PORT_BASE > set-up.ignored"]\n',
    );
    git('add', '-A');
    git('commit', '-q', '-m', 'Settings');
    one.put('.env', 'KEY=1\n');
    const made = await worktree(one, ['new', 'login']);
    const path = beside(one, 'trees/login');
    expect([made.code, made.stdout]).toEqual([0, `${path}\n`]);
    expect(made.stderr).toContain(`worktree ${path} on feature/login from main\ncopied .env\n`);
    const port = Number(/^at (\d+)\n$/.exec(readFileSync(join(path, 'set-up.ignored'), 'utf8'))?.[1]);
    expect(port).toBeGreaterThanOrEqual(20_000);

    // From inside it, and from a folder below.
    mkdirSync(join(path, 'deep'));
    const second = await worktree(one, ['new', 'second', '--no-install', '--json'], { cwd: join(path, 'deep') });
    expect(JSON.parse(second.stdout)).toMatchObject({
      version: 1,
      path: beside(one, 'trees/second'),
      branch: 'feature/second',
      setup: [],
      env: { RALPH_PORT_BASE: expect.not.stringMatching(`^${port}$`) as unknown, RALPH_WORKTREE_NAME: 'second' },
    });
    writeFileSync(join(path, 'mine.txt'), 'mine');
    const inside = gitIn(path, one.env);
    inside('add', '-A');
    inside('commit', '-q', '-m', 'Mine');
    writeFileSync(join(path, 'new.txt'), 'new');
    const listed = await worktree(one, ['list'], { cwd: path });
    expect(listed.stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | ').trim())).toEqual([
      expect.stringMatching(/NAME \| BRANCH \| KIND \| STATE \| FOLDER$/),
      expect.stringContaining('main'),
      `* | login | feature/login | feature | 1 untracked, 1 unlanded | ${path}`,
      expect.stringContaining('clean, no commits yet'),
      '',
    ]);
    const shown = await worktree(one, ['status', '--json'], { cwd: path });
    expect(JSON.parse(shown.stdout)).toMatchObject({
      worktree: { name: 'login', current: true, untracked: 1, unlanded: 1, upstream: null, port_base: port },
    });
    expect((await worktree(one, ['status', 'lo'])).stdout).toMatch(/^landed +all but 1 commit$/m);

    const refused = await worktree(one, ['remove', 'login']);
    expect([refused.code, refused.stderr]).toEqual([
      6,
      expect.stringContaining('fix: ralph worktree remove login --force'),
    ]);
    // Killed when it was kept, and when its folder was gone: the next one goes on from there.
    for (const failpoints of ['clean.kept=kill', 'clean.folder=kill']) {
      const killed = await worktree(one, ['remove', 'login', '--force', '--yes'], { failpoints });
      expect([killed.signal, existsSync(path)]).toEqual(['SIGKILL', failpoints.startsWith('clean.kept')]);
    }
    const forced = await worktree(one, ['remove', 'feature/login', '--force'], { cwd: repo });
    expect([forced.code, existsSync(path)]).toEqual([0, false]);
    // Undo takes back what went last, whole: its branch, its files, and that it is a worktree of ours.
    const undone = await ralph(one, ['undo', '--json']);
    expect([undone.code, undone.stderr]).toEqual([0, expect.stringContaining('undid the removal of feature/login')]);
    expect(JSON.parse(undone.stdout)).toMatchObject({ act: 'remove', restored: [{ branch: 'feature/login', path }] });
    expect((await worktree(one, ['status', 'login', '--json'])).stdout).toBe(shown.stdout.replace('true', 'false'));
    expect((await worktree(one, ['remove', 'login', '--force', '--yes'])).code).toBe(0);
    const [, back = ''] = /^to have it back: ralph (.*)$/m.exec(forced.stderr) ?? [];
    expect((await ralph(one, back.split(' '))).code).toBe(0);
    expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new');
    expect(inside('log', '-1', '--format=%s')).toBe('Mine');

    const clean = await worktree(one, ['clean', '--json']);
    // What was brought back is a person's own; the other one has nothing of its own yet.
    expect(JSON.parse(clean.stdout)).toMatchObject({ removed: [], stays: [{ name: 'second' }] });
    expect((await worktree(one, ['remove', 'second'])).code).toBe(0);
    expect(git('branch', '--list', 'feature/second')).toBe('');
  });

  it('refuses what makes no sense, and hostile words run nothing', async () => {
    const one = scratch();
    const { git, repo } = one;
    const refs = git('for-each-ref');
    const inLoop = { env: { RALPH_LOOP_ID: 'x' } };
    const says = async (
      args: readonly string[],
      code: number,
      said: string,
      options: RalphOptions = {},
    ): Promise<void> => {
      const result = await worktree(one, args, options);
      expect([result.code, result.stderr], args.join(' ')).toEqual([code, expect.stringContaining(said)]);
      expect(result.stderr).not.toContain('\u001b]');
    };
    await Promise.all([
      says(['new', 'x'], 2, 'error[E_NESTED]', inLoop),
      says(['remove', 'x'], 2, 'error[E_NESTED]', inLoop),
      says(['clean'], 2, 'error[E_NESTED]', inLoop),
      says(['list'], 0, '', inLoop),
      says(['remove', '.'], 6, 'is the main checkout'),
      says(['remove', ''], 2, 'fix: ralph worktree list'),
      says(['new', '$(touch canary)'], 2, 'fix: ralph worktree new touch-canary\n'),
      says(['new', 'x', '--branch', 'x;touch canary'], 2, 'error[E_NAME]'),
      says(['new', 'x', '--path', 'a\nb'], 2, 'error[E_NAME]'),
      says(['status', '../x\u001b]0;x\u0007'], 2, 'error[E_UNKNOWN_ID]'),
    ]);
    expect(git('for-each-ref')).toBe(refs);
    expect([repo, one.home, one.root].filter((folder) => existsSync(join(folder, 'canary')))).toEqual([]);
  });
});

describe("a loop's worktree", () => {
  it('remove takes it by the id of its task or its loop, keeps what it holds and frees the task', async () => {
    const one = scratch();
    const go = beside(one, 'go');
    const wait = [{ write: { path: 'half.txt', text: 'half\n' } }, { waitForFile: { path: go } }, { exit: 1 }] as const;
    project(one, { tasks: ['login'], agent: [...wait], config: { limits: { consecutive_failures: 1 } } });
    const run = startRalph(one, ['orchestrate']);
    await until('its agent', () => starts(one).length === 1);
    const busy = await ralph(one, ['worktree', 'remove', 'login']);
    expect([busy.code, busy.stderr]).toEqual([5, expect.stringMatching(/ralph loops stop login-/)]);
    writeFileSync(go, '');
    await run.ended;
    const dirty = starts(one)[0]?.cwd ?? '';
    writeFileSync(join(dirty, 'late.txt'), 'a person was here\n');
    const { code, stdout, stderr } = await ralph(one, ['worktree', 'remove', 'login', '--json']);
    expect(code, stderr).toBe(0);
    const { kept, branch } = JSON.parse(stdout) as { readonly kept: string; readonly branch: string };
    expect([existsSync(dirty), branch]).toEqual([false, 'agent/login']);
    expect(one.git('branch', '--list', 'agent/login')).toBe('');
    const back = await ralph(one, ['keep', 'restore', kept, '--branch', 'again']);
    expect(back.code, back.stderr).toBe(0);
    expect(one.git('show', 'again:late.txt')).toContain('a person was here');
    const status = await ralph(one, ['tasks', 'ready', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ tasks: [{ id: 'login' }] });
  });

  it('clean covers those of people and those of loops', async () => {
    const one = scratch();
    project(one, { tasks: ['login'], config: { worktree: { path: '../<name>' } } });
    expect((await ralph(one, ['run'])).code).toBe(0);
    const pooled = join(one.repo, '.ralph/worktrees/wt');
    expect(existsSync(pooled)).toBe(true);
    const dry = await ralph(one, ['worktree', 'clean', '--dry-run', '--json']);
    expect(dry.stdout).toContain(pooled);
    expect(existsSync(pooled)).toBe(true);
    expect((await ralph(one, ['worktree', 'clean'])).code).toBe(0);
    expect(existsSync(pooled)).toBe(false);
  });
});
