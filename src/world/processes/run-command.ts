import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { performance } from 'node:perf_hooks';
import { toIdentity } from './identity.ts';
import { GATE_VARIABLE, assertToken } from './marker.ts';
import { openLog } from './copy-log.ts';
import { pause } from '../os/clock.ts';
import { processSource } from './process-source.ts';
import { spawnDetached } from './spawn-detached.ts';
import { stopTree } from './stop-tree.ts';
import { readTailSince } from '../os/tail.ts';
import type { ChildProcess } from 'node:child_process';
import { findExecutable } from './environment.ts';
import type { ProcessIdentity } from './identity.ts';

const TAIL_BYTES = 4096;

export interface CommandOptions {
  /** A shell line as the user wrote it. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Output and errors are appended here, in the order they were written. */
  readonly logFile: string;
  /** What it reads on its standard input; absent: nothing. */
  readonly input?: string;
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly signal: AbortSignal;
  readonly token: string;
}

export interface CommandResult {
  /** 128 + n when signal n ended it; null when we did. */
  readonly code: number | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** The last 4 KB of its output. */
  readonly tail: string;
  /** Where its output begins in the log. */
  readonly offset: number;
  readonly durationMs: number;
}

/** Runs a gate or another short command of ours to its end; nothing it started outlives this call. */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  assertToken(options.token);
  if (options.signal.aborted) return { code: null, timedOut: false, aborted: true, tail: '', offset: 0, durationMs: 0 };
  const startedAt = performance.now();
  const log = openLog(options.logFile);
  const input = options.input === undefined ? 'ignore' : openInput(options.logFile, options.input);
  try {
    const offset = fstatSync(log).size;
    const { child, identity } = await spawnDetached({
      argv: [...shellFor(options.env), options.command],
      cwd: options.cwd,
      env: { ...options.env, [GATE_VARIABLE]: options.token },
      stdio: [input, log, log],
    });
    // The exit of the shell is the end: its output may be held open far longer by something it left behind.
    await pause(options.timeoutMs, options.signal, child);
    const code = exitCodeOf(child);
    const durationMs = performance.now() - startedAt;
    const { token, graceMs } = options;
    if (code === null) await stopTree({ identity, token, graceMs });
    else await stopTree({ identity, token, graceMs, force: options.signal, known: groupLeftBy(identity) });
    return {
      code,
      timedOut: code === null && !options.signal.aborted,
      aborted: code === null && options.signal.aborted,
      tail: readTailSince(options.logFile, TAIL_BYTES, offset),
      offset,
      durationMs,
    };
  } finally {
    closeSync(log);
    if (input !== 'ignore') closeSync(input);
  }
}

/** A file without a name: a command that never reads it holds nobody up. */
function openInput(logFile: string, text: string): number {
  const file = `${logFile}.${randomBytes(6).toString('hex')}.in`;
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  try {
    return openSync(file, 'r');
  } finally {
    rmSync(file, { force: true });
  }
}

/** Asked right after the leader was collected, long before its number can be given to another process. */
function groupLeftBy(leader: ProcessIdentity): ProcessIdentity[] {
  const members = processSource.list().filter((entry) => entry.group === leader.pid);
  return members.map(toIdentity);
}

function exitCodeOf(child: ChildProcess): number | null {
  if (child.signalCode !== null) return 128 + constants.signals[child.signalCode];
  return child.exitCode;
}

/**
 * What runs a shell line of the user's so that a failure anywhere in it counts: on an earlier line, or before a pipe. A shell
 * without `pipefail` sees only the end of a pipe.
 */
export function shellFor(env: Readonly<Record<string, string | undefined>>): readonly [string, ...string[]] {
  const bash = findExecutable('bash', env, '/');
  return bash === null ? ['/bin/sh', '-e', '-c'] : [bash, '-e', '-o', 'pipefail', '-c'];
}

export const hasPipefail = (env: Readonly<Record<string, string | undefined>>): boolean =>
  shellFor(env).includes('pipefail');
