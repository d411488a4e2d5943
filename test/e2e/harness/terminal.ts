import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { bundle } from './bundle.ts';
import { beside } from './ralph.ts';
import type { Scratch } from './scratch.ts';
import { until } from './until.ts';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

/** A terminal somebody sits at, with the built program in it. */
export interface Terminal {
  readonly type: (text: string) => void;
  /** A key that is no letter, by the name tmux gives it: `Enter`, `Escape`, `C-z`. */
  readonly key: (name: string) => void;
  /** Everything on the screen and above it. */
  readonly screen: () => string;
  /** Resolves with the first match on the screen. */
  readonly waitFor: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** The exit code, once it has ended. */
  readonly ended: () => Promise<number>;
  /** Asks the tmux that plays the terminal. */
  readonly ask: (...args: string[]) => string;
}

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The program knows that its terminal is tmux; else that is hidden from it. */
  readonly isInTmux?: boolean;
  /** What runs there; the built program unless set. */
  readonly program?: readonly string[];
}

let terminals = 0;

/** Starts the built program in a terminal of its own: a tmux server that no other has to do with. */
export function openTerminal(scratch: Scratch, args: readonly string[], options: TerminalOptions = {}): Terminal {
  terminals += 1;
  const conf = beside(scratch, 'tmux.conf');
  writeFileSync(conf, 'set -g remain-on-exit on\nset -g history-limit 5000\nset -s set-clipboard on\n');
  const env = { ...scratch.env, ...tmuxEnv(scratch), TERM: 'xterm-256color' };
  const name = `terminal-${terminals}`;
  const call = (...words: string[]) => spawnSync('tmux', ['-L', name, '-f', conf, ...words], { env, encoding: 'utf8' });
  const ask = (...words: string[]): string => call(...words).stdout.trimEnd();
  const tell = (...words: string[]): void => {
    const { status, stderr } = call(...words);
    if (status !== 0) throw new Error(`tmux ${words.join(' ')} exited ${status}: ${stderr}`);
  };
  onTestFinished(() => void ask('kill-server'));
  const given = { PATH: scratch.env['PATH'], ...options.env };
  const setting = Object.entries(given).map(([name, value]) => `${name}=${value}`);
  const hidden = options.isInTmux === true ? [] : ['-u', 'TMUX', '-u', 'TMUX_PANE'];
  const ending = beside(scratch, `${name}.code`);
  const shell = ['/bin/sh', '-c', '"$@"; echo $? > "$0"', ending];
  const program = [...shell, ...(options.program ?? [process.execPath, bundle().main]), ...args];
  const size = ['-x', '220', '-y', '50'];
  tell(
    'new-session',
    '-d',
    ...size,
    '-s',
    't',
    '-c',
    options.cwd ?? scratch.repo,
    '/usr/bin/env',
    ...hidden,
    ...setting,
    ...program,
  );
  const screen = (): string => ask('capture-pane', '-p', '-J', '-S', '-', '-t', 't:0');
  /** What is on the screen tells why one waits in vain. */
  const awaiting = async <T>(what: string, probe: () => T | null): Promise<T> => {
    try {
      return await until(what, probe);
    } catch (error) {
      throw new Error(`${String(error)}\n${screen()}`, { cause: error });
    }
  };
  return {
    ask,
    screen,
    type: (text) => tell('send-keys', '-t', 't:0', '-l', text),
    key: (name) => tell('send-keys', '-t', 't:0', name),
    waitFor: (pattern) => awaiting(`${pattern} on the screen`, () => pattern.exec(screen())),
    ended: async () => {
      // Some tmux lose the exit code of what they started.
      const code = await awaiting('the program has ended', () => codeIn(ending));
      // Only then everything it said is on the screen.
      const isDead = (): true | null =>
        ask('display-message', '-p', '-t', 't:0', '#{pane_dead}') === '1' ? true : null;
      await awaiting('its terminal has heard so', isDead);
      return code;
    },
  };
}

function codeIn(file: string): number | null {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text.endsWith('\n') ? Number(text) : null;
}

/** The tmux that the program itself starts, if it starts one. */
export function ownTmux(scratch: Scratch): (...args: string[]) => string {
  const ask = (...args: string[]): string =>
    spawnSync('tmux', args, { env: { ...scratch.env, ...tmuxEnv(scratch) }, encoding: 'utf8' }).stdout.trimEnd();
  onTestFinished(() => void ask('kill-server'));
  return ask;
}

/** Where its servers have their sockets. */
export const tmuxEnv = (scratch: Scratch) => ({ TMUX_TMPDIR: scratch.root, SHELL: '/bin/sh' });

/** A PATH with everything on it but these programs. */
export function pathWithout(scratch: Scratch, names: readonly string[]): string {
  const folder = beside(scratch, 'less');
  mkdirSync(folder);
  for (const place of (scratch.env['PATH'] ?? '').split(':').toReversed())
    for (const name of namesIn(place)) if (!names.includes(name)) link(join(place, name), join(folder, name));
  return folder;
}

function link(target: string, path: string): void {
  try {
    symlinkSync(target, path);
  } catch {
    // Another folder has one of that name.
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
