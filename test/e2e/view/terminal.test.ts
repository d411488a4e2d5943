import { readFileSync, writeFileSync } from 'node:fs';

import { describe, expect } from 'vitest';
import { itNeeds } from '../../needs.ts';
import { bundle } from '../harness/bundle.ts';
import { landedTasks } from '../harness/git.ts';
import { project } from '../harness/project.ts';
import { beside, ralph, startRalph } from '../harness/ralph.ts';
import { scratch } from '../harness/scratch.ts';
import { hasTmux, openTerminal } from '../harness/terminal.ts';
import type { Terminal } from '../harness/terminal.ts';
import { until } from '../harness/until.ts';

const MODES = /^[0-9a-f]+(?::[0-9a-f]+){5,}$/gm;

/** A shell somebody sits at, with a program that we start by typing. */
function openShell(at: ReturnType<typeof scratch>): Terminal & { readonly run: (line: string) => void } {
  const terminal = openTerminal(at, [], { program: ['bash', '--norc', '-i'], env: { PS1: '$ ', LANG: 'C.UTF-8' } });
  return {
    ...terminal,
    run: (line) => {
      terminal.type(line);
      terminal.key('Enter');
    },
  };
}

const program = (): string => `'${process.execPath}' '${bundle().main}'`;
const isAlternate = (terminal: Terminal): boolean =>
  terminal.ask('display-message', '-p', '-t', 't:0', '#{alternate_on}') === '1';
const hasCursor = (terminal: Terminal): boolean =>
  terminal.ask('display-message', '-p', '-t', 't:0', '#{cursor_flag}') === '1';
const modes = (terminal: Terminal): readonly string[] => terminal.screen().match(MODES) ?? [];

describe('the terminal belongs to its user', () => {
  itNeeds('tmux', hasTmux)('A2: a view that is killed leaves it as it was, and the run goes on', async () => {
    const at = scratch();
    const go = beside(at, 'go');
    project(at, {
      tasks: ['one'],
      agent: [{ waitForFile: { path: go } }, { write: { path: 'a', text: 'a' } }, { claim: true }],
    });
    const run = startRalph(at, ['run', '--parallel']);
    const shell = openShell(at);
    shell.run('stty -g');
    await until('the modes before', () => modes(shell).length === 1);
    shell.run(`${program()} watch & echo $! > '${beside(at, 'pid')}'; fg`);
    await shell.waitFor(/AT WORK 1/);
    expect(isAlternate(shell)).toBe(true);
    expect(hasCursor(shell)).toBe(false);
    process.kill(Number(readFileSync(beside(at, 'pid'), 'utf8')), 'SIGKILL');
    await until('the screen is back', () => !isAlternate(shell) && hasCursor(shell));
    shell.run('stty -g');
    await until('the modes after', () => modes(shell).length === 2);
    const [before, after] = modes(shell);
    expect(after).toBe(before);
    writeFileSync(go, '');
    expect((await run.ended).code).toBe(0);
    expect(landedTasks(at.git, 'main')).toEqual(['one']);
  });

  itNeeds('tmux', hasTmux)('A2: Ctrl-Z gives it to the shell, and fg draws the view again', async () => {
    const at = scratch();
    project(at, { tasks: ['one'] });
    const shell = openShell(at);
    shell.run(`${program()} watch`);
    await shell.waitFor(/WAITING 1/);
    shell.key('C-z');
    await until('the shell has it', () => !isAlternate(shell) && hasCursor(shell));
    await shell.waitFor(/Stopped/);
    shell.run('fg');
    await until('the view has it', () => isAlternate(shell));
    await shell.waitFor(/WAITING 1/);
    shell.type('q');
    await until('the shell has it for good', () => !isAlternate(shell));
  });

  itNeeds('tmux', hasTmux)(
    "A1: ! lends it to a shell in the worktree, where every key is the shell's, and exit leads back",
    async () => {
      const at = scratch();
      const go = beside(at, 'go');
      project(at, {
        tasks: ['one'],
        agent: [{ waitForFile: { path: go } }, { write: { path: 'a', text: 'a' } }, { claim: true }],
      });
      const run = startRalph(at, ['run', '--parallel']);
      await run.waitFor(/one starts in slot 1/);
      const shell = openShell(at);
      shell.run(`SHELL=$(command -v bash) ${program()} watch`);
      await shell.waitFor(/AT WORK 1/);
      shell.type('!');
      await shell.waitFor(/a shell in .*; exit leads back/);
      // A job of its own, as every program is that an interactive shell starts.
      shell.run('cat > said; echo "heard $(cat said)"');
      shell.run('qqq');
      shell.key('C-d');
      await shell.waitFor(/^heard qqq/m);
      expect(isAlternate(shell)).toBe(false);
      shell.run('rm said; exit');
      await until('the view has it again', () => isAlternate(shell));
      await shell.waitFor(/AT WORK 1/);
      shell.type('q');
      await until('the shell has it', () => !isAlternate(shell));
      expect(shell.screen()).not.toMatch(/Stopped/);
      writeFileSync(go, '');
      expect((await run.ended).code).toBe(0);
    },
  );

  itNeeds('tmux', hasTmux)(
    'A6: --color says for one call whether there are colours, on a terminal and in a pipe',
    async () => {
      const at = scratch();
      project(at, { tasks: ['one'] });
      const refused = await ralph(at, ['status', '--color=blue']);
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringMatching(/--color blue: not auto, always, never/),
      ]);
      expect((await ralph(at, ['nothing', '--color=always'])).stderr).toContain('\u001b[31m');
      expect((await ralph(at, ['watch', '--once', '--color', 'always'])).stdout).toContain('\u001b[1m');
      for (const [plain, env] of [
        [['--color=never'], {}],
        [[], { NO_COLOR: '1' }],
      ] as const) {
        const terminal = openTerminal(at, ['watch', ...plain], { env: { LANG: 'C.UTF-8', ...env } });
        await terminal.waitFor(/WAITING 1/);
        expect(terminal.ask('capture-pane', '-e', '-p', '-t', 't:0')).not.toContain('\u001b[');
        terminal.type('q');
        expect(await terminal.ended()).toBe(0);
      }
    },
  );

  itNeeds('tmux', hasTmux)('A1: is drawn whole at every size, also where there is room for one row alone', async () => {
    const at = scratch();
    project(at, { tasks: ['one', 'two', 'three'] });
    const terminal = openTerminal(at, ['watch'], { env: { LANG: 'C.UTF-8' } });
    for (const [columns, rows] of [
      [120, 35],
      [60, 15],
      [39, 7],
      [120, 35],
    ] as const) {
      terminal.ask('resize-window', '-t', 't', '-x', String(columns), '-y', String(rows));
      const isSmall = columns < 40;
      await until(`a whole picture at ${columns} x ${rows}`, () => {
        const lines = terminal.ask('capture-pane', '-p', '-t', 't:0').split('\n');
        const isHead = isSmall
          ? /^0 landed {2}0 at work/.test(lines[0] ?? '')
          : /^ ralph {2}.*0 landed/.test(lines[0] ?? '');
        const isWhole = isSmall || (lines.length === rows && / q leave/.test(lines.at(-1) ?? ''));
        return isHead && isWhole && lines.every((line) => line.length <= columns);
      });
    }
    terminal.type('q');
    expect(await terminal.ended()).toBe(0);
  });

  itNeeds('tmux', hasTmux)('a run keeps three rows below its lines, and v opens the view', async () => {
    const at = scratch();
    const go = beside(at, 'go');
    project(at, {
      tasks: ['one'],
      agent: [{ waitForFile: { path: go } }, { write: { path: 'a', text: 'a' } }, { claim: true }],
    });
    const terminal = openTerminal(at, ['run', '--parallel'], { env: { LANG: 'C.UTF-8' } });
    await terminal.waitFor(
      /\d\d:\d\d:\d\d one starts in slot 1 .*\n ralph {2}main.* 1 at work.*\n nothing waits to land\n.* v opens the view/,
    );
    terminal.type('v');
    await terminal.waitFor(/AT WORK 1/);
    writeFileSync(go, '');
    await terminal.waitFor(/LANDED 1/);
    terminal.type('q');
    await terminal.waitFor(/\d\d:\d\d:\d\d one landed as/);
    expect(await terminal.ended()).toBe(0);
    const screen = terminal.screen();
    expect(screen).toContain('1 landed, 0 ready');
    expect(screen).not.toContain('v opens the view');
  });

  itNeeds('tmux', hasTmux)('A2: Ctrl-Z and fg behind v leave the keys to the view', async () => {
    const at = scratch();
    const go = beside(at, 'go');
    project(at, {
      tasks: ['one'],
      agent: [{ waitForFile: { path: go } }, { write: { path: 'a', text: 'a' } }, { claim: true }],
    });
    const shell = openShell(at);
    shell.run(`${program()} run --parallel; echo over`);
    await shell.waitFor(/v opens the view/);
    shell.type('v');
    await shell.waitFor(/AT WORK 1/);
    shell.key('C-z');
    await shell.waitFor(/Stopped/);
    shell.run('fg');
    await until('the view has it', () => isAlternate(shell));
    // Each of them would be lost to the run now and then.
    for (let n = 0; n < 8; n += 1) {
      shell.type('w');
      // Its answer, not the note that it is asked.
      await shell.waitFor(/works on it: iteration 1/);
      shell.key('Escape');
      await shell.waitFor(/AT WORK 1/);
    }
    shell.type('q');
    await until('the run has it', () => !isAlternate(shell));
    await shell.waitFor(/v opens the view/);
    writeFileSync(go, '');
    await shell.waitFor(/1 landed, 0 ready/);
  });

  itNeeds('tmux', hasTmux)('A6: a run that is piped on draws nothing', async () => {
    const at = scratch();
    project(at, { tasks: ['one'] });
    const shell = openShell(at);
    const file = beside(at, 'said');
    shell.run(`${program()} run --parallel 2>&1 | cat > '${file}'; echo over`);
    await shell.waitFor(/^over/m);
    const said = readFileSync(file, 'utf8');
    expect(said).toContain('one landed as');
    expect(said).not.toContain('\u001b');
    const piped = await ralph(at, ['watch', '--once']);
    expect(piped.stdout).not.toContain('\u001b');
  });
});
