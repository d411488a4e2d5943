import { shellWord } from '../../core/model/shell-word.ts';
import { freeName, tmuxFolder, tmuxName } from '../../text/start/tmux-words.ts';
import { findExecutable } from '../processes/environment.ts';
import { runTool } from './run-tool.ts';
import type { ToolAnswer } from './run-tool.ts';

export interface TmuxOrder {
  readonly name: string;
  readonly path: string;
  readonly script: string;
  /** Somebody looks at the screen: a new window comes to the front. */
  readonly isWatched: boolean;
}

export type TmuxPlace =
  | { readonly at: 'window'; readonly name: string }
  | { readonly at: 'session'; readonly name: string; readonly attach: string };

export interface Tmux {
  readonly isInside: boolean;
  /** Starts the script; a text says why it could not. */
  readonly open: (order: TmuxOrder) => Promise<TmuxPlace | string>;
}

const TIMEOUT_MS = 10_000;
/** Somebody may take the name between our look and our start. */
const NAMES_TRIED_MAX = 5;
/** When the program ends its last words stay on the screen, above a shell in the worktree. */
const THEN_A_SHELL = 'sh "$1"; exec "${SHELL:-/bin/sh}"';

/** The tmux of this machine; null: there is none. */
export function findTmux(env: NodeJS.ProcessEnv, cwd: string): Tmux | null {
  const program = findExecutable('tmux', env, cwd);
  if (program === null) return null;
  const isInside = (env['TMUX'] ?? '') !== '';
  const call = (args: readonly string[]): Promise<ToolAnswer> =>
    runTool([program, ...args], { env, cwd, timeoutMs: TIMEOUT_MS, input: null });
  const start = async (before: readonly string[], order: TmuxOrder): Promise<ToolAnswer> => {
    // More than one word, so that tmux starts it without a shell of its own.
    const after = ['-c', tmuxFolder(order.path), '/bin/sh', '-c', THEN_A_SHELL, 'sh', order.script];
    // What tmux starts has the PATH of its own first start; before 3.2 that cannot be changed.
    const withPath = await call([...before, '-e', `PATH=${wordEnd(env['PATH'] ?? '')}`, ...after]);
    return withPath.ok || !/usage|unknown|invalid/i.test(withPath.stderr) ? withPath : call([...before, ...after]);
  };
  return {
    isInside,
    open: isInside ? (order) => openWindow(start, order) : (order) => openSession(call, start, order),
  };
}

type Start = (before: readonly string[], order: TmuxOrder) => Promise<ToolAnswer>;

async function openWindow(start: Start, order: TmuxOrder): Promise<TmuxPlace | string> {
  const name = tmuxName(order.name);
  const made = await start(['new-window', ...(order.isWatched ? [] : ['-d']), '-n', name], order);
  return made.ok ? { at: 'window', name } : reason(made);
}

async function openSession(
  call: (args: readonly string[]) => Promise<ToolAnswer>,
  start: Start,
  order: TmuxOrder,
): Promise<TmuxPlace | string> {
  for (let tries = 1; ; tries += 1) {
    const { stdout } = await call(['list-sessions', '-F', '#{session_name}']);
    const name = freeName(tmuxName(order.name), new Set(stdout.split('\n')));
    const made = await start(['new-session', '-d', '-s', name], order);
    if (made.ok) return { at: 'session', name, attach: `tmux attach -t ${shellWord(name)}` };
    if (tries === NAMES_TRIED_MAX || !made.stderr.includes('duplicate session')) return reason(made);
  }
}

/** A semicolon at the end of a word would begin the next command. */
const wordEnd = (word: string): string => word.replace(/;$/, '\\;');

const reason = ({ stderr }: ToolAnswer): string => stderr.trim() || 'it does not answer';
