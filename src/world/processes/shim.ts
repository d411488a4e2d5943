import { closeSync, constants, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { invariant } from '../../core/model/assert.ts';
import { reach } from '../os/failpoint.ts';
import { realClock, pause } from '../os/clock.ts';
import { lookUpExecutable } from './environment.ts';
import { ownIdentity } from './identity.ts';
import { TOKEN_VARIABLE, assertToken } from './marker.ts';
import { openLog } from './copy-log.ts';
import { claimFolder, lookAtShim, recordIdentity, releaseFolder } from './shim-folder.ts';
import { spawnDetached } from './spawn-detached.ts';
import { systemFailure } from '../os/system-failure.ts';
import type { ProcessIdentity } from './identity.ts';
import type { ShimSight } from './shim-folder.ts';

const SHELL = '/bin/sh';
const POLL_MS = 250;
const POLL_MS_MIN = 100;
/** Only for the caller's sake: it wants to hear now and then. */
const OWN_POLL_MS = 1000;

/** Shims this process started itself: their exit is an event, not a poll. */
const ownChildren = new Map<string, ChildProcess>();

export interface ShimStart {
  /** The run folder: there already, private, with the prompt in prompt.md. */
  readonly dir: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly token: string;
  /** Now, by the clock that does not jump. */
  readonly awakeMs?: number;
}

/** Starts one agent iteration that outlives us and leaves output and exit code in the run folder. */
export async function startShim(start: ShimStart): Promise<ProcessIdentity> {
  assertToken(start.token);
  claimFolder(start.dir, { token: start.token, starter: ownIdentity(), awakeMs: start.awakeMs ?? awakeMs() });
  const files: number[] = [];
  try {
    reach('run.intent');
    const stdin = openPrompt(join(start.dir, 'prompt.md'));
    files.push(stdin);
    const stdout = openLog(join(start.dir, 'stdout.log'));
    files.push(stdout);
    const stderr = openLog(join(start.dir, 'stderr.log'));
    files.push(stderr);
    const { child, identity } = await spawnDetached({
      argv: shimCommand(start),
      cwd: start.cwd,
      env: { ...start.env, [TOKEN_VARIABLE]: start.token },
      stdio: [stdin, stdout, stderr],
    });
    remember(start.dir, child);
    recordIdentity(start.dir, identity, start.token);
    return identity;
  } catch (error) {
    releaseFolder(start.dir);
    throw error;
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** What became of the iteration of a run folder, whoever started it. Lost: started, gone, and no exit code. */
export function readShim(dir: string): Exclude<ShimSight, { state: 'starting' }> {
  const sight = lookAtShim(dir);
  return sight.state === 'starting' ? { state: 'absent' } : sight;
}

interface AwaitOptions {
  /** Ends the waiting, not the iteration. */
  readonly signal: AbortSignal;
  readonly pollMs?: number;
  readonly onPoll?: () => void | Promise<void>;
}

/** Waits for the iteration of a run folder to end, whoever started it. */
export async function awaitShim(
  dir: string,
  options: AwaitOptions,
): Promise<Extract<ShimSight, { state: 'exited' | 'lost' }> | { readonly state: 'aborted' }> {
  const pollMs = Math.max(options.pollMs ?? POLL_MS, POLL_MS_MIN);
  let child: ChildProcess | undefined;
  for (;;) {
    // The end of a child of our own is an event, so its folder need not be read before; but a process that was suspended
    // hears of its timers first.
    child = ownChildren.get(resolve(dir)) ?? child;
    if (child === undefined || hasEnded(child) || options.signal.aborted) {
      const sight = lookAtShim(dir);
      if (sight.state === 'exited') return sight;
      // On a full disk a shim of ours can come and go without a trace; only its exit event tells.
      const isGone = sight.state === 'starting' && sight.starter.pid === process.pid;
      const isOurs = child !== undefined && !hasEnded(child);
      if (!isOurs && (sight.state === 'lost' || sight.state === 'absent' || isGone))
        return codeOf(child) ?? { state: 'lost' };
    }
    if (options.signal.aborted) return { state: 'aborted' };
    await pause(child === undefined ? pollMs : untilNextBeat(OWN_POLL_MS), options.signal, child);
    await options.onPoll?.();
  }
}

/** Twenty waits that end together wake the processor once, not twenty times. */
const untilNextBeat = (everyMs: number): number => everyMs - (awakeMs() % everyMs);

const awakeMs = (): number => realClock.awakeMs();

/** It ends with the agent's code, also where it could not write it down. */
const codeOf = (shim: ChildProcess | undefined): { readonly state: 'exited'; readonly code: number } | null =>
  shim == null || shim.exitCode === null ? null : { state: 'exited', code: shim.exitCode };

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** The command is looked up here, since a shell would take names such as exit or eval for its own. */
function shimCommand(start: ShimStart): readonly [string, ...string[]] {
  const [name, ...rest] = start.argv;
  invariant(name !== undefined, 'an agent command has a name');
  const found = lookUpExecutable(name, start.env, start.cwd);
  const shim = [SHELL, '-c', withoutPwd(start.env), 'ralph-shim', start.dir] as const;
  if (found.path !== null) return [...shim, found.path, ...rest];
  const [reason, code] = found.denied ? ['not executable', '126'] : ['command not found', '127'];
  return [...shim, SHELL, '-c', REFUSAL_SCRIPT, 'ralph-shim', name, reason, code];
}

function withoutPwd(env: Readonly<Record<string, string>>): string {
  return env['PWD'] === undefined ? `unset PWD${SHIM_SCRIPT}` : SHIM_SCRIPT;
}

function openPrompt(file: string): number {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    throw systemFailure(`${file} could not be opened`, error);
  }
}

function remember(dir: string, child: ChildProcess): void {
  const key = resolve(dir);
  ownChildren.set(key, child);
  child.once('exit', () => ownChildren.delete(key));
}

/**
 * Runs "$@" and leaves its exit code in the run folder given as $1. It is all that stays between us and an agent, so a
 * restarted host finds the result of an agent that ended while nobody watched.
 *
 * - Signals are caught, not ignored: what is ignored stays ignored in the agent, what is caught does not. So a TERM to
 *   the group ends the agent while the shim lives on to write the code.
 * - The shell would export a PWD of its own making; the agent gets the environment it was given and nothing else.
 * - A block for the code is taken before the agent can fill the disk, and at the end overwritten, not given back first.
 * - Where the rename fails, for want of a process or of mv, the code is written in place: readers want the newline.
 */
const SHIM_SCRIPT = `
ralph_shim_dir=$1
shift
trap : HUP INT QUIT TERM
echo "$$" >"$ralph_shim_dir/pid"
echo >"$ralph_shim_dir/exit.tmp"
"$@"
ralph_shim_code=$?
{
  echo "$ralph_shim_code" 1<>"$ralph_shim_dir/exit.tmp" &&
    PATH=/bin:/usr/bin\${PATH:+:$PATH} mv -f "$ralph_shim_dir/exit.tmp" "$ralph_shim_dir/exit" ||
    echo "$ralph_shim_code" >"$ralph_shim_dir/exit"
} 2>/dev/null
exit "$ralph_shim_code"
`;

/** Stands in for a command that cannot be run, so that this too ends in an exit code and a line in the log. */
const REFUSAL_SCRIPT = 'printf "%s: %s\\n" "$1" "$2" >&2; exit "$3"';
