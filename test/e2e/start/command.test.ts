import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { project, starts, writeScenario } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { RalphOptions, Result } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { fakeProgram } from '../harness/shell-agent.ts';
import { pathWithout, tmuxEnv } from '../harness/terminal.ts';

const STATE = '.claude/ralph-loop.local.md';
const IGNORE = '.env\n*.ignored\n.claude/*.local.md\n';
/** Nothing in it may ever be run, and every byte has to arrive. */
const HOSTILE = `---\niteration: 99\n"; touch canary; $(touch canary) \`touch canary\` '#(touch canary)\n{{task_id}} ä\r\n${'x'.repeat(200_000)}\n---`;
const state = (prompt: string, iteration = 3): string =>
  `---\nactive: true\niteration: ${iteration}\nmax_iterations: 4\ncompletion_promise: "ALL DONE"\n---\n\n${prompt}\n`;

const treeOf = (one: Scratch, name: string): string => join(one.home, 'worktrees', name);
const scriptOf = (one: Scratch, name: string): string => join(treeOf(one, name), 'start-scripted.sh');
const noCanary = (one: Scratch, ...names: string[]): void => {
  for (const folder of [one.root, one.repo, one.home, ...names.map((name) => treeOf(one, name))])
    expect(readdirSync(folder)).not.toContain('canary');
};

/** Nobody sits here; what it could start it would start where no test looks. */
const start = (one: Scratch, args: readonly string[], options: RalphOptions = {}): Promise<Result> =>
  ralph(one, ['start', ...args], { ...options, env: { ...tmuxEnv(one), ...options.env } });

describe('ralph start without a terminal', () => {
  it('scenario 33: asks nobody where somebody loops already: it starts nothing, and flags say what it should do', async () => {
    const one = scratch();
    project(one, { tasks: [], files: { 'docs/spec.md': HOSTILE, '.gitignore': IGNORE } });
    writeScenario(one, {
      agent: [{ prompt: { path: 'seen.ignored' } }, { write: { path: '${task}.txt', text: 'x' } }, { claim: true }],
    });
    one.put(STATE, state('Make it blue'));
    const before = one.git('for-each-ref');
    const unasked = await start(one, ['auth', 'docs/spec.md']);
    expect([unasked.code, unasked.stdout]).toEqual([5, '']);
    expect(unasked.stderr).toMatch(
      /error\[E_BUSY\]: auth was not started[^]*fix: ralph start auth docs\/spec.md --parallel/,
    );
    expect((await start(one, ['auth', 'docs/spec.md', '--cancel', '--json'])).stderr).toContain(
      '"remedy":"ralph start auth docs/spec.md --json --parallel","exit":5',
    );
    expect((await start(one, ['--cancel', '--', 'auth', 'docs/spec.md'])).stderr).toContain(
      'fix: ralph start --parallel -- auth docs/spec.md\n',
    );
    expect((await start(one, ['auth', 'docs/spec.md', '--replace', '--parallel'])).code).toBe(2);
    const both = await start(one, ['auth', 'docs/spec.md', '--print', '--tmux']);
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringContaining('error[E_USAGE]: --print and --tmux exclude each other'),
    ]);
    expect((await start(one, ['auth'], { env: { RALPH_LOOP_ID: 'x' } })).stderr).toContain('E_NESTED');
    const nested = await ralph(one, ['run', 'do it'], { env: { RALPH_LOOP_ID: 'x' } });
    expect([nested.code, nested.stderr]).toEqual([
      2,
      expect.stringContaining('fix: ralph block "please run: ralph run"'),
    ]);
    expect([existsSync(treeOf(one, 'auth')), one.git('for-each-ref')]).toEqual([false, before]);

    // To print the script is to go beside them.
    const printed = await start(one, ['auth', 'docs/spec.md', '--print']);
    expect([printed.code, printed.stdout, starts(one)]).toEqual([0, `${scriptOf(one, 'auth')}\n`, []]);
    // never: the script is handed over; the clipboard has it.
    const bin = fakeProgram(one, 'xclip', `cat > '${beside(one, 'clipboard')}'`);
    const path = `${bin}:${pathWithout(one, ['pbcopy', 'wl-copy', 'clip.exe'])}`;
    const handed = await start(one, ['auth', 'docs/spec.md', '--set', 'auto_spawn_strategy=never'], {
      env: { PATH: path, DISPLAY: ':7' },
    });
    expect([handed.code, handed.stdout]).toEqual([0, `${scriptOf(one, 'auth')}\n`]);
    expect(handed.stderr).toContain('it is on the clipboard (xclip)');
    expect(readFileSync(beside(one, 'clipboard'), 'utf8')).toBe(scriptOf(one, 'auth'));
    expect(statSync(scriptOf(one, 'auth')).mode & 0o777).toBe(0o755);
    expect(starts(one)).toEqual([]);

    // It may be started from anywhere, and delivers every byte.
    const byHand = await startRalph(one, [], {
      prefix: ['sh', '-c', 'exec "$0"', scriptOf(one, 'auth')],
      cwd: one.home,
    }).ended;
    expect([byHand.code, byHand.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    expect(readFileSync(join(treeOf(one, 'auth'), 'seen.ignored'), 'utf8')).toContain(HOSTILE);
    expect(starts(one).map((call) => call.cwd)).toEqual([treeOf(one, 'auth')]);

    // In its place: the state file is moved aside, not lost.
    const instead = await start(one, ['instead', 'make', 'another', 'file', '--replace', '--skip', 'tests', '--json']);
    expect([instead.code, (JSON.parse(instead.stdout) as { landed: unknown[] }).landed.length]).toEqual([0, 1]);
    const kept = readdirSync(join(one.repo, '.claude'));
    expect(kept).toEqual([expect.stringMatching(/^ralph-loop\.local\.md\.kept-\d{8}T\d{6}Z$/)]);
    expect(readFileSync(join(one.repo, '.claude', kept[0] ?? ''), 'utf8')).toBe(state('Make it blue'));
    expect(readFileSync(join(treeOf(one, 'instead'), 'seen.ignored'), 'utf8')).toMatch(
      /docs\/plans\/instead.md[^]*- Leave this out: tests/,
    );
    noCanary(one, 'auth', 'instead');
  });

  it('S3.1 makes the worktree, says where it stands, and has what a script needs', async () => {
    const one = scratch();
    project(one, { tasks: [], files: { '.gitignore': IGNORE } });
    one.put(
      '.claude/worktree-manager.local.md',
      `---\nbranch_prefix: wip/\nspec_directory: audit\nauto_push: 7\nwrong: 1\n---\n`,
    );
    const plain = pathWithout(one, ['tmux', 'pbcopy', 'wl-copy', 'xclip', 'xsel', 'clip.exe']);
    const failing = ['--set', 'worktree.setup=["echo boom; exit 3"]'];
    const simple = await start(one, ['auth', '--json', ...failing], { env: { PATH: plain } });
    expect(simple.stderr).toContain('failed: echo boom; exit 3: boom\nagain: cd ');
    expect(simple.stderr).toMatch(/warning: \.claude\/worktree-manager\.local\.md:5:1 there is no setting "wrong"/);
    expect(simple.stderr).toContain(`in the main checkout ${one.repo}`);
    expect(JSON.parse(simple.stdout)).toMatchObject({
      version: 1,
      name: 'auth',
      branch: 'wip/auth',
      path: treeOf(one, 'auth'),
      workflow: 'simple',
      script: scriptOf(one, 'auth'),
      command: scriptOf(one, 'auth'),
      tmux: null,
      clipboard: null,
      reused: false,
      setup: [{ ok: false }],
    });
    // Without a plan there is nothing to carry out; with one there is.
    const unplanned = await start(one, ['auth', 'implement-only'], { cwd: treeOf(one, 'auth') });
    expect([unplanned.code, unplanned.stderr]).toEqual([2, expect.stringContaining('there is no audit/auth.md')]);
    expect(unplanned.stderr).toContain(`in the worktree ${treeOf(one, 'auth')} of ${one.repo}`);
    const fresh = await start(one, ['fresh', 'implement-only']);
    expect([fresh.code, existsSync(treeOf(one, 'fresh')), one.git('branch', '--list', 'wip/fresh')]).toEqual([
      2,
      false,
      '',
    ]);
    // A file says what is wanted also where it is planned first, committed or not.
    one.put('want.md', 'People log in.\n');
    const plan = { write: { path: 'audit/auth.md', text: 'Step 1: `touch canary`\n' } } as const;
    writeScenario(one, { agent: [{ prompt: { path: 'seen.ignored' } }, plan, { commit: 'Plan' }, { claim: true }] });
    const planned = await start(one, ['auth', 'plan-only', 'want.md']);
    expect(readFileSync(join(treeOf(one, 'auth'), 'seen.ignored'), 'utf8')).toContain('\n\nPeople log in.\n');
    expect([planned.code, planned.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    expect(planned.stderr).toContain(`: working in the worktree ${treeOf(one, 'auth')} (wip/auth)\n`);
    expect(one.git('show', 'main:audit/auth.md')).toContain('Step 1');
    writeScenario(one, {
      agent: [{ prompt: { path: 'seen.ignored' } }, { write: { path: 'auth.txt', text: 'x' } }, { claim: true }],
    });
    const done = await start(one, ['auth', 'implement-only', '--no-auto-merge'], { cwd: treeOf(one, 'auth') });
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('1 ready')]);
    expect(readFileSync(join(treeOf(one, 'auth'), 'seen.ignored'), 'utf8')).toContain('Step 1: `touch canary`');
    expect(one.git('show', 'wip/auth:auth.txt')).toBe('x');
    const printed = await start(one, ['auth', '--print']);
    expect(printed.stdout).toBe(`${scriptOf(one, 'auth')}\n`);
    noCanary(one, 'auth');
  });

  it('scenario 35: goes on with a ralph-loop as one of ours, its prompt to the byte', async () => {
    const one = scratch();
    project(one, { tasks: [], files: { '.gitignore': IGNORE } });
    one.put(STATE, '---\niteration: many\n---\n\nx\n');
    const broken = await start(one, ['auth', '--continue-loop']);
    expect([broken.code, broken.stderr]).toEqual([
      3,
      expect.stringMatching(/E_LOOP_FILE.*local\.md:2 iteration must be/),
    ]);
    expect((await start(one, ['auth', '--continue-loop', 'with words'])).code).toBe(2);
    expect(readFileSync(join(one.repo, STATE), 'utf8')).toContain('many');

    one.put(STATE, state(HOSTILE));
    // The first iteration leaves something to do, the second says the promise of the state file.
    const work = { write: { path: '${task}.${iteration}.txt', text: 'x' } } as const;
    const seen = { prompt: { path: 'seen.ignored' } } as const;
    writeScenario(one, {
      agent: {
        iterations: [
          [seen, work],
          [work, { claim: 'ALL DONE' }],
        ],
      },
    });
    const done = await start(one, ['auth', '--continue-loop']);
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
    const prompt = readFileSync(join(treeOf(one, 'auth'), 'seen.ignored'), 'utf8');
    expect([prompt.includes(HOSTILE), prompt.includes('<promise>ALL DONE</promise>')]).toEqual([true, true]);
    expect(existsSync(join(one.repo, STATE))).toBe(false);

    // Two iterations were left: the third and the fourth.
    one.put(STATE, state('never done'));
    writeScenario(one, { agent: [work] });
    const parked = await start(one, ['more', '--continue-loop']);
    expect([parked.code, starts(one).filter((call) => call.cwd === treeOf(one, 'more')).length]).toEqual([1, 2]);
    expect(readdirSync(join(one.repo, '.claude'))).toHaveLength(2);
    noCanary(one, 'auth', 'more');
  });
});
