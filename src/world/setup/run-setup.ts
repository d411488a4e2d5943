import { spawn } from 'node:child_process';
import { shellWord } from '../../core/model/shell-word.ts';
import type { Ecosystem } from '../../text/feature/ecosystems.ts';
import { cleanText } from '../../text/screen/clean.ts';
import { findExecutable, ownEnvironment, leftOutOfGates } from '../processes/environment.ts';
import { hasSubmodules, settleSubmodules } from '../worktrees/submodules.ts';
import { missingFilters, withoutFilters } from '../git/run/missing-filters.ts';
import { readTailSince } from '../os/tail.ts';
import type { Repository } from '../git/run/repository.ts';

export interface SetupStep {
  readonly ecosystem: string;
  readonly command: readonly string[];
  readonly ok: boolean;
  /** The end of what it printed, or why it was not started. */
  readonly tail: string;
}

/** What to run: found by files, or shell lines the user wrote. */
export type Setup = { readonly ecosystems: readonly Ecosystem[] } | { readonly lines: readonly string[] };

const TAIL_CHARS = 4000;
export const SETUP_LONGEST_MS = 30 * 60_000;
const LAST_WORDS_MS = 500;
/** What a setup may go by: everything else of ours is for loops. */
const TOLD = ['RALPH_PORT_BASE', 'RALPH_PORT_COUNT', 'RALPH_WORKTREE_NAME'];

/** How one command is run. */
export type RunStep = (command: readonly string[]) => Promise<Pick<SetupStep, 'ok' | 'tail'>>;

/** Prepares a worktree. What fails is told and keeps nothing from being used; tools have the caches they always have. */
export async function runSetup(
  setup: Setup,
  run: RunStep,
  onStep: (text: string) => void,
): Promise<readonly SetupStep[]> {
  const done: SetupStep[] = [];
  for (const { name, commands } of partsOf(setup))
    for (const command of commands) {
      onStep(`${name}: ${wordsOf(command)}`);
      const step = { ecosystem: name, command, ...(await run(command)) };
      done.push(step);
      // What comes next in one part stands on what came before.
      if (!step.ok) break;
    }
  return done;
}

type Part = Pick<Ecosystem, 'name' | 'commands'>;

function partsOf(setup: Setup): readonly Part[] {
  if ('ecosystems' in setup) return setup.ecosystems;
  return [{ name: 'setup', commands: setup.lines.map((line) => ['sh', '-c', line]) }];
}

/** A command as a person would type it. */
export function wordsOf(command: readonly string[]): string {
  const [program, flag, line] = command;
  if (program === 'sh' && flag === '-c' && line !== undefined) return line;
  return command.map((word) => (/^-[\w./:@%+=,-]*$/.test(word) ? word : shellWord(word))).join(' ');
}

/** Under the terminal of whoever waits for it: what ends us ends it. */
export const inForeground =
  (cwd: string, user: NodeJS.ProcessEnv): RunStep =>
  async (command) => {
    const missing = missingTool(command, cwd, user);
    if (missing !== null) return { ok: false, tail: missing };
    const [program = '', ...args] = command;
    const env = setupEnvironment(user);
    return new Promise((resolve) => {
      const found = findExecutable(program, user, cwd) ?? program;
      const child = spawn(found, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: SETUP_LONGEST_MS });
      let tail = '';
      const keep = (chunk: Buffer): void => {
        tail = (tail + chunk.toString('utf8')).slice(-TAIL_CHARS);
      };
      const end = (code: number | null): void => resolve({ ok: code === 0, tail: cleanText(tail).trim() });
      child.stdout.on('data', keep);
      child.stderr.on('data', keep);
      child.on('error', (error) => resolve({ ok: false, tail: error.message }));
      child.on('close', end);
      // Something it left running may hold its output open for ever.
      child.on('exit', (code) => setTimeout(() => end(code), LAST_WORDS_MS).unref());
    });
  };

/** Why a command cannot be started; null: it can. */
export function missingTool(command: readonly string[], cwd: string, user: NodeJS.ProcessEnv): string | null {
  const [program = '', ...args] = command;
  const tool = program === 'env' ? (args.find((word) => !word.includes('=')) ?? '') : program;
  const isThere = [program, tool].every((name) => findExecutable(name, user, cwd) !== null);
  return isThere ? null : `${tool} is not installed`;
}

function setupEnvironment(user: NodeJS.ProcessEnv): Record<string, string> {
  const told = TOLD.flatMap((name) => (user[name] === undefined ? [] : [[name, user[name]]]));
  return { ...ownEnvironment(user), ...(Object.fromEntries(told) as Record<string, string>) };
}

export const FETCHES = 'git submodule update --init --recursive';

/** Brings the submodules of a worktree of ours to what its commit says. Why they are not there; null: they are, or there are none. */
export async function fetchInto(repo: Repository, path: string, tell: (text: string) => void): Promise<string | null> {
  if (!hasSubmodules(path)) return null;
  const { failed } = await settleSubmodules(path, withoutFilters(await missingFilters(repo.root)));
  if (failed !== null) tell(`submodules are missing: ${failed}`);
  return failed;
}

/** How much of the output is searched for names. */
const OUTPUT_BYTES_MAX = 1 << 20;

interface FailedCommand {
  readonly logFile: string;
  /** Where its output begins in the log. */
  readonly offset: number;
  readonly env: NodeJS.ProcessEnv;
  readonly passEnv: readonly string[];
}

/** What a command may have failed for: variables left out of its environment that it, or what it printed, speaks of. */
export function missedBy(command: string, { logFile, offset, env, passEnv }: FailedCommand): readonly string[] {
  const leftOut = leftOutOfGates(env, passEnv);
  if (leftOut.length === 0) return [];
  const words = new Set(`${command}\n${readTailSince(logFile, OUTPUT_BYTES_MAX, offset)}`.match(/\w+/g));
  return leftOut.filter((name) => words.has(name)).sort();
}

/** A line of ours below the end of an output. */
export const withLine = (tail: string, line: string): string =>
  tail.trim() === '' ? `(${line})` : `${tail.trimEnd()}\n(${line})`;
