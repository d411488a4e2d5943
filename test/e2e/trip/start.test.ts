import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { itNeeds } from '../../needs.ts';
import { project, starts } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import type { Scratch } from '../harness/scratch.ts';
import { scratch } from '../harness/scratch.ts';
import { fakeProgram } from '../harness/shell-agent.ts';
import { hasTmux, openTerminal, pathWithout, tmuxEnv } from '../harness/terminal.ts';

const itInTmux = itNeeds('tmux', hasTmux);
const STATE = '.claude/ralph-loop.local.md';
const OTHERS = ['tmux', 'pbcopy', 'wl-copy', 'xclip', 'xsel', 'clip.exe'];

/** A project where the loop of another feature works already. */
function occupied(): Scratch {
  const one = scratch();
  project(one, { tasks: [], files: { 'docs/spec.md': 'Make a file\n', '.gitignore': '.claude/*.local.md\n' } });
  one.put(
    STATE,
    '---\nactive: true\niteration: 3\nmax_iterations: 50\nfeature_name: "feature-a"\n---\n\nMake it blue\n',
  );
  return one;
}

const treeOf = (one: Scratch, name: string): string => join(one.home, 'worktrees', name);
const scriptOf = (one: Scratch, name: string, agent = 'scripted'): string =>
  join(treeOf(one, name), `start-${agent}.sh`);

describe('ralph start where another loop runs', () => {
  itInTmux(
    'trip 19: inside tmux A is a window, B copies the command, C replaces the loop it names, D cancels',
    async () => {
      const one = occupied();
      const bin = fakeProgram(one, 'wl-copy', `cat > '${beside(one, 'clipboard')}'`);
      const env = { PATH: `${bin}:${one.env['PATH']}`, WAYLAND_DISPLAY: 'w' };
      const copied = openTerminal(one, ['start', 'auth', 'docs/spec.md'], { isInTmux: true, env });
      await copied.waitFor(/Your choice \(A\/B\/C\/D\)/);
      expect(copied.screen()).toMatch(/warning: ralph-loop feature-a is in iteration 3 of 50 .*Make it blue/);
      const menu = copied
        .screen()
        .split('\n')
        .filter((line) => /^[A-Z]\) /.test(line));
      expect(menu).toEqual([
        'A) start auth beside it: a new tmux window (recommended)',
        'B) copy the command that starts auth, to paste into another terminal',
        'C) stop feature-a, keep what it did, and start auth here',
        'D) cancel',
      ]);
      expect(copied.screen()).not.toContain('tip:');
      copied.type('b\n');
      expect(await copied.ended()).toBe(0);
      expect(copied.screen()).toContain(`\n${scriptOf(one, 'auth')}\nit is on the clipboard (wl-copy)`);
      expect(readFileSync(beside(one, 'clipboard'), 'utf8')).toBe(scriptOf(one, 'auth'));
      expect([starts(one), existsSync(join(one.repo, STATE))]).toEqual([[], true]);
      expect(copied.ask('list-windows', '-t', 't', '-F', '#{window_name}')).not.toContain('auth');

      const opened = openTerminal(one, ['start', 'more', 'docs/spec.md'], { isInTmux: true });
      await opened.waitFor(/Your choice/);
      opened.type('A\n');
      expect(await opened.ended()).toBe(0);
      expect(opened.screen()).toMatch(/started more in tmux window more.*Ctrl\+b n/);

      const cancelled = openTerminal(one, ['start', 'none', 'docs/spec.md'], { isInTmux: true });
      await cancelled.waitFor(/Your choice/);
      cancelled.type('D\n');
      expect([await cancelled.ended(), existsSync(treeOf(one, 'none'))]).toEqual([5, false]);

      const replaced = openTerminal(one, ['start', 'other', 'docs/spec.md'], { isInTmux: true });
      await replaced.waitFor(/Your choice/);
      replaced.type('c\n');
      expect(await replaced.ended()).toBe(0);
      expect(replaced.screen()).toContain('feature-a ends at its next stop; its state is kept: ');
      expect(existsSync(join(one.repo, STATE))).toBe(false);
    },
  );

  itInTmux('trip 19: outside tmux the tip is a session to begin in; without tmux, how to install it', async () => {
    const one = occupied();
    const outside = openTerminal(one, ['start', 'auth', 'docs/spec.md']);
    await outside.waitFor(/Your choice \(A\/B\/C\/D\)/);
    expect(outside.screen()).toContain('A) start auth beside it: a tmux session in the background (recommended)');
    expect(outside.screen()).toMatch(/^tip: .*tmux new -s work/m);
    outside.type('d\n');
    expect(await outside.ended()).toBe(5);

    const without = openTerminal(one, ['start', 'auth', 'docs/spec.md'], { env: { PATH: pathWithout(one, OTHERS) } });
    await without.waitFor(/Your choice \(A\/B\/C\)/);
    const menu = without
      .screen()
      .split('\n')
      .filter((line) => /^[A-Z]\) /.test(line));
    expect(menu).toEqual([
      'A) copy the command that starts auth, to paste into another terminal (recommended)',
      'B) stop feature-a, keep what it did, and start auth here',
      'C) cancel',
    ]);
    expect(without.screen()).toMatch(/^tip: .*brew install tmux/m);
    without.type('a\n');
    expect(await without.ended()).toBe(0);
    expect(without.ask('show-buffer')).toBe(scriptOf(one, 'auth'));
    expect([starts(one), readdirSync(join(one.repo, '.claude'))]).toEqual([[], ['ralph-loop.local.md']]);
  });

  it('trip 19: without a terminal the refusal names the other loop and how to get the command', async () => {
    const one = occupied();
    const refused = await ralph(one, ['start', 'auth', 'docs/spec.md'], { env: tmuxEnv(one) });
    expect([refused.code, refused.stderr]).toEqual([
      5,
      expect.stringContaining('ralph-loop feature-a is in iteration 3'),
    ]);
    expect(refused.stderr).toContain('--print prints the command that starts auth');
    // One whose state nobody can read still has a name.
    one.put(STATE, '---\nactive: true\nfeature_name: feature-b\n---\n\nMake it red\n');
    const unread = await ralph(one, ['start', 'auth', 'docs/spec.md'], { env: tmuxEnv(one) });
    expect([unread.code, unread.stderr]).toEqual([
      5,
      expect.stringMatching(/ralph-loop feature-b .*iteration is missing/),
    ]);
  });
});

describe('the launch script', () => {
  it('trip 19: keeps what [agents.NAME] args say, and loads our plugin where the client has plugins', async () => {
    const one = scratch();
    const print = 'for word; do echo "<$word>"; done';
    const PATH = `${fakeProgram(one, 'claude', print)}:${one.env['PATH']}`;
    for (const name of ['codex', 'copilot']) fakeProgram(one, name, print);
    const args = ['--allowed-tools', "Bash(git 'x')"];
    const agents = { 'agents.claude': { args, model: 'm' }, 'agents.codex': { args }, 'agents.copilot': { args } };
    project(one, { tasks: [], config: { agent: 'claude', ...agents } });
    const wordsOf = async (agent: string, more: readonly string[] = []): Promise<readonly string[]> => {
      const made = await ralph(one, ['start', agent, '--agent', agent, '--print', ...more], {
        env: { ...tmuxEnv(one), PATH },
      });
      expect([made.code, made.stdout]).toEqual([0, `${scriptOf(one, agent, agent)}\n`]);
      const ran = await startRalph(one, [], {
        prefix: ['sh', '-c', `'${scriptOf(one, agent, agent)}' --more; :`],
        env: { PATH },
      }).ended;
      return ran.stdout.split('\n').flatMap((line) => /^<(.*)>$/.exec(line)?.[1] ?? []);
    };
    const claude = await wordsOf('claude', ['simple', 'look at the header']);
    const plugin = claude[claude.indexOf('--plugin-dir') + 1] ?? '';
    expect(JSON.parse(readFileSync(join(plugin, '.claude-plugin/plugin.json'), 'utf8'))).toMatchObject({
      name: 'paralph',
    });
    // What it is told first stands first: a flag that takes several words would take it, too.
    expect(claude).toEqual(['look at the header', '--plugin-dir', plugin, '--model', 'm', ...args, '--more']);
    expect(await wordsOf('copilot')).toEqual(['--plugin-dir', plugin, ...args, '--more']);
    expect(await wordsOf('codex')).toEqual([...args, '--more']);
  });
});
