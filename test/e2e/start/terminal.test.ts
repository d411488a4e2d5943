import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect } from 'vitest';

import { itNeeds } from '../../needs.ts';
import { isAlive } from '../harness/processes.ts';
import { HONEST, project, starts, writeScenario } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { fakeProgram } from '../harness/shell-agent.ts';
import { hasTmux, openTerminal, ownTmux, pathWithout, tmuxEnv } from '../harness/terminal.ts';
import { until } from '../harness/until.ts';

const it = itNeeds('tmux', hasTmux);
const STATE = '.claude/ralph-loop.local.md';
const LOOPING =
  '---\nactive: true\niteration: 3\nmax_iterations: 50\ncompletion_promise: "DONE"\n---\n\nMake it blue\n';
const CLIPBOARDS = ['pbcopy', 'wl-copy', 'xclip', 'xsel', 'clip.exe'];

/** A project where a ralph-loop works already. */
function occupied(): Scratch {
  const one = scratch();
  project(one, { tasks: [], files: { 'docs/spec.md': 'Make a file\n', '.gitignore': '.env\n.claude/*.local.md\n' } });
  one.put(STATE, LOOPING);
  return one;
}

const treeOf = (one: Scratch, name: string): string => join(one.home, 'worktrees', name);
const landed = (one: Scratch, name: string): Promise<boolean> =>
  until(`${name} is on main`, () => new RegExp(`^Land .*${name}$`, 'm').test(one.git('log', '--format=%s', 'main')));

describe('ralph start at a terminal where somebody loops already', () => {
  it('scenario 33: inside tmux, A starts a window beside it; D starts nothing', async () => {
    const one = occupied();
    const first = openTerminal(one, ['start', 'auth', 'docs/spec.md'], { isInTmux: true });
    await first.waitFor(/Your choice \(A\/B\/C\/D\)/);
    expect(first.screen()).toMatch(/warning: a ralph-loop is in iteration 3 of 50 .*Make it blue/);
    expect(first.screen()).toMatch(/^in the main checkout /m);
    expect(first.screen()).toContain('A) start auth beside it: a new tmux window (recommended)');
    expect(existsSync(treeOf(one, 'auth'))).toBe(false);
    first.type('x\n');
    first.type('a\n');
    expect(await first.ended()).toBe(0);
    expect(first.screen()).toContain('started auth in tmux window auth; Ctrl+b n');
    expect(first.ask('list-windows', '-t', 't', '-F', '#{window_name} #{window_active}')).toContain('auth 1');
    await landed(one, 'auth');
    // Its last words stay, above a shell in the worktree.
    const beyond = (): string => first.ask('capture-pane', '-p', '-J', '-S', '-', '-t', 't:auth');
    await until('the window tells how it went', () => beyond().includes('1 landed'));
    expect(starts(one).map((call) => call.cwd)).toEqual([treeOf(one, 'auth')]);
    expect(readFileSync(join(one.repo, STATE), 'utf8')).toBe(LOOPING);

    const second = openTerminal(one, ['start', 'other', 'make another file'], { isInTmux: true });
    await second.waitFor(/Your choice/);
    second.type('D\n');
    expect(await second.ended()).toBe(5);
    expect(second.screen()).toContain('cancelled; nothing was changed');
    expect(existsSync(treeOf(one, 'other'))).toBe(false);
  });

  it('scenario 33: outside tmux, A starts a session, and the way to it is on the clipboard', async () => {
    const one = occupied();
    const own = ownTmux(one);
    own('new-session', '-d', '-s', 'auth', 'cat', '-');
    const bin = fakeProgram(one, 'wl-copy', `cat > '${beside(one, 'clipboard')}'`);
    const env = { PATH: `${bin}:${one.env['PATH']}`, WAYLAND_DISPLAY: 'w' };
    const terminal = openTerminal(one, ['start', 'auth', 'docs/spec.md'], { env });
    await terminal.waitFor(/Your choice/);
    expect(terminal.screen()).toContain('A) start auth beside it: a tmux session');
    terminal.type('A\n');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.screen()).toMatch(
      /in tmux session auth-2\. To see it:\ntmux attach -t auth-2\nit is on the clipboard \(wl-copy\)/,
    );
    expect(readFileSync(beside(one, 'clipboard'), 'utf8')).toBe('tmux attach -t auth-2');
    await landed(one, 'auth');
    // With nobody at a terminal the settings may say it.
    const always = await ralph(one, ['start', 'talk', '--set', 'auto_spawn_strategy=always', '--json'], {
      env: tmuxEnv(one),
    });
    const attach = 'tmux attach -t talk';
    expect(JSON.parse(always.stdout)).toMatchObject({ tmux: { at: 'session', name: 'talk', attach }, command: attach });
    expect(own('list-sessions', '-F', '#{session_name}').split('\n')).toEqual(['auth', 'auth-2', 'talk']);
  });

  it('scenario 33: without tmux the launch script is handed over, by the terminal where no tool can', async () => {
    const one = occupied();
    const PATH = pathWithout(one, ['tmux', ...CLIPBOARDS]);
    const terminal = openTerminal(one, ['start', 'auth', 'docs/spec.md'], { env: { PATH } });
    await terminal.waitFor(/Your choice/);
    expect(terminal.screen()).toContain('A) copy the command that starts auth');
    terminal.type('a\n');
    expect(await terminal.ended()).toBe(0);
    const script = join(treeOf(one, 'auth'), 'start-scripted.sh');
    expect(terminal.screen()).toContain(`\n${script}\n`);
    expect(terminal.screen()).toContain('with tmux installed it would start by itself');
    // The terminal took it (OSC 52).
    expect(terminal.ask('show-buffer')).toBe(script);
    expect(starts(one)).toEqual([]);
    const pasted = await startRalph(one, [], { prefix: ['sh', '-c', `exec '${script}'`], cwd: '/' }).ended;
    expect([pasted.code, starts(one)[0]?.cwd]).toEqual([0, treeOf(one, 'auth')]);
    expect(one.git('-C', treeOf(one, 'auth'), 'status', '--porcelain')).toBe('');
  });

  it('C stops our loops, here and in the worktree, keeps them, and goes on in their place', async () => {
    const one = scratch();
    project(one, { tasks: [], agent: [{ waitForFile: { path: beside(one, 'never') } }] });
    const there = startRalph(one, ['start', 'auth', 'wait', 'there'], { env: tmuxEnv(one) });
    await until('the loop in the worktree works', () => starts(one).length === 1);
    const here = startRalph(one, ['run', 'wait for ever']);
    await until('the loop in the checkout works', () => starts(one).length === 2);
    const agents = starts(one).map((call) => call.pid);
    writeScenario(one, { agent: HONEST });
    const full = await ralph(one, ['start', 'auth', 'make', 'a', 'file', '--parallel'], { env: tmuxEnv(one) });
    expect([full.code, full.stderr]).toEqual([
      5,
      expect.stringMatching(/fix: ralph start auth make a file --replace$/m),
    ]);
    const terminal = openTerminal(one, ['start', 'auth', 'make a file'], { env: tmuxEnv(one) });
    await terminal.waitFor(/Your choice \(C\/D\)/);
    expect(terminal.screen()).toMatch(/warning: loop wait-for-ever-\w+ works in .* \(process \d+: wait for ever\)/);
    terminal.type('c\n');
    expect(await terminal.ended()).toBe(0);
    expect((await Promise.all([there.ended, here.ended])).map((result) => result.code)).toEqual([143, 143]);
    expect(agents.filter(isAlive)).toEqual([]);
    expect(starts(one).at(-1)?.cwd).toBe(treeOf(one, 'auth'));
    await landed(one, 'auth');
    const [, loop = ''] =
      /loop (wait-for-ever\S+) has stopped and is kept; to resume it: ralph run --continue/.exec(terminal.screen()) ??
      [];
    const again = await ralph(one, ['run', '--continue', '--loop-id', loop]);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('1 landed')]);
  });

  it('an agent to talk to has the terminal, the worktree, its ports, and what it is told first', async () => {
    const one = scratch();
    const agent = fakeProgram(
      one,
      'talker',
      'pwd; echo "told $# $1"; echo "port $RALPH_PORT_BASE"; read -r line; echo "heard $line"; exit 3',
    );
    project(one, { tasks: [], config: { agent: 'talker', 'agents.talker': { command: [join(agent, 'talker')] } } });
    one.put(STATE, LOOPING);
    const terminal = openTerminal(one, ['start', 'team/ünï', 'simple', '--', '-v', '$(touch canary)']);
    await terminal.waitFor(/Your choice/);
    terminal.type('c\n');
    await terminal.waitFor(/port \d{5}$/m);
    expect(existsSync(join(one.repo, STATE))).toBe(false);
    expect(terminal.screen()).toContain(`\n${treeOf(one, 'team-ünï')}\ntold 1  -v $(touch canary)\n`);
    terminal.type('`hello` $(touch canary)\n');
    expect(await terminal.ended()).toBe(1);
    expect(terminal.screen()).toContain('heard `hello` $(touch canary)');
    expect(terminal.screen()).toContain('talker has ended with 3');
    for (const folder of [one.repo, treeOf(one, 'team-ünï')]) expect(existsSync(join(folder, 'canary'))).toBe(false);
  });
});
