import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { bundle, fallible } from './bundle.ts';
import { checkAnswer } from './check-answer.ts';
import { parseEvents } from './events.ts';
import type { RalphEvent } from './events.ts';
import { fingerprint, headOf } from './fingerprint.ts';
import { gitIn } from './git.ts';
import { checkoutKept } from './invariants.ts';
import type { Scratch } from './scratch.ts';
import { until } from './until.ts';

export interface Result {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RalphOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
  /** Stands before the command line: another program that becomes ours. */
  readonly prefix?: readonly string[];
  /** What goes wrong on purpose: `land.after_cas=kill`. */
  readonly failpoints?: string;
  /** Compare the user's checkout before and after; off where the test itself changes it meanwhile. */
  readonly isCheckoutGuarded?: boolean;
}

export interface Running {
  readonly pid: number;
  readonly ended: Promise<Result>;
  readonly output: () => { readonly stdout: string; readonly stderr: string };
  readonly events: () => RalphEvent[];
  /** Resolves with the first match in what was said so far on either stream. */
  readonly waitFor: (pattern: RegExp, timeoutMs?: number) => Promise<RegExpExecArray>;
  readonly signal: (name: NodeJS.Signals) => void;
}

/** Other processes may be ten times slower than usual; a test has three minutes. */
const TIMEOUT_MS = 150_000;
/** Commands that may change what they like of ours and nothing of the user's. */
const GUARDED = new Set(['run', 'land', 'status', 'parallel', 'doctor']);

/** Runs the built program to its end. */
export async function ralph(scratch: Scratch, args: readonly string[], options: RalphOptions = {}): Promise<Result> {
  const git = gitIn(scratch.repo, scratch.env);
  const head = (options.isCheckoutGuarded ?? GUARDED.has(args[0] ?? '')) ? headOf(scratch.repo) : null;
  const before = head === null ? {} : fingerprint(scratch.repo);
  const result = await startRalph(scratch, args, options).ended;
  if (head !== null) checkoutKept(git, before, fingerprint(scratch.repo), head);
  // Through a pipe another program has the last word.
  const isItsOwn = options.prefix === undefined && result.signal === null;
  const isAnswer = args.includes('--json') && !args.includes('--events') && isItsOwn;
  if (isAnswer && result.stdout !== '') checkAnswer(args, result.stdout);
  return result;
}

/** Starts the built program and leaves it running. */
export function startRalph(scratch: Scratch, args: readonly string[], options: RalphOptions = {}): Running {
  const main = options.failpoints === undefined ? bundle().main : fallible();
  const [program = '', ...argv] = [...(options.prefix ?? []), process.execPath, main, ...args];
  const child = spawn(program, argv, {
    cwd: options.cwd ?? scratch.repo,
    env: withoutAbsent({ ...scratch.env, RALPH_FAILPOINTS: options.failpoints, ...options.env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const ended = new Promise<Result>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`ralph ${args.join(' ')} still ran after ${timeoutMs} ms\n${said.stdout}\n${said.stderr}`));
    }, timeoutMs);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, ...said });
    });
  });
  // A test that fails before it awaits the end must not add an unhandled rejection to it.
  ended.catch(() => {});
  return {
    pid: child.pid ?? 0,
    ended,
    output: () => ({ ...said }),
    events: () => parseEvents(said.stdout),
    waitFor: (pattern, waitMs) =>
      until(
        `${pattern} in the output of ralph ${args.join(' ')}`,
        () => pattern.exec(`${said.stdout}\n${said.stderr}`),
        waitMs,
      ),
    signal: (name) => void child.kill(name),
  };
}

/** Path of a file in the scratch folder, outside the repository: for scenarios, records and signals between agents. */
export function beside(scratch: Scratch, name: string): string {
  return join(scratch.root, name);
}

function withoutAbsent(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
