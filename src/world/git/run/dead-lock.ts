import { rmSync, statSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { execFile } from 'node:child_process';
import { sep } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { ifThere } from '../../os/read-if-there.ts';

const PATIENCE_MS = 3000;
const LOOK_AGAIN_MS = 50;

/** The lock that git says is in its way; null: something else is. */
export function lockInTheWay(stderr: string): string | null {
  return /Unable to create '(.+\.lock)': File exists/.exec(stderr)?.[1] ?? null;
}

/**
 * Removes a lock whose git was killed. Whoever made it was there when it was first seen: when every git of that moment has
 * ended and the lock is still the same, nobody holds it. True: it is out of the way. A git that stands still keeps its lock.
 */
export async function outlastLock(lock: string, sought: Sought): Promise<boolean> {
  const seen = signOf(lock);
  if (seen === null) return true;
  const suspects = await gitsAtWork(sought);
  for (let waitedMs = 0; waitedMs <= PATIENCE_MS; waitedMs += LOOK_AGAIN_MS) {
    if (signOf(lock) !== seen) return true;
    const there = new Set(await gitsAtWork(sought));
    if (!suspects.some((pid) => there.has(pid))) {
      if (signOf(lock) === seen) rmSync(lock, { force: true });
      return true;
    }
    await sleep(LOOK_AGAIN_MS);
  }
  return false;
}

/** Does something to a ref of ours, once more if only the lock of a git that was killed is in its way. */
export async function pastDeadLock<T>(ref: string, sought: Sought, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const lock = error instanceof AppError ? lockInTheWay(error.facts.join('\n')) : null;
    if (lock?.endsWith(`/${ref}.lock`) !== true || !(await outlastLock(lock, sought))) throw error;
    return act();
  }
}

/** Another lock under the same name is another file. */
function signOf(lock: string): string | null {
  const stat = ifThere(() => statSync(lock, { throwIfNoEntry: false }));
  return stat === undefined ? null : `${stat.ino} ${stat.ctimeMs}`;
}

interface GitProcess {
  readonly pid: number;
  readonly cwd: string | null;
  readonly args: string;
}

interface Sought {
  /** Any git that stands in this folder or below. */
  readonly folder: string | null;
  /** Any git whose arguments, joined by spaces, hold this text. */
  readonly mentions: string | null;
}

const QUIET_LOOKS = 3;

/**
 * Waits for git commands to end that outlived the process which started them; returns the pids of those that do not end.
 * What a killed process left may only be touched when nobody works on it any more.
 */
export async function outlastGit(sought: Sought, deadlineMs: number): Promise<readonly number[]> {
  const start = performance.now();
  // Between fork and exec a git does not look like one yet: one look that finds nothing is not enough.
  for (let quiet = 0; ;) {
    const pids = await gitsAtWork(sought);
    quiet = pids.length === 0 ? quiet + 1 : 0;
    if (quiet === QUIET_LOOKS || performance.now() - start > deadlineMs) return pids;
    await sleep(LOOK_AGAIN_MS);
  }
}

/** The gits that are there now. */
async function gitsAtWork(sought: Sought): Promise<readonly number[]> {
  return (await gitProcesses()).filter((found) => fits(found, sought)).map((found) => found.pid);
}

function fits(found: GitProcess, { folder, mentions }: Sought): boolean {
  if (mentions !== null && found.args.includes(mentions)) return true;
  return folder !== null && found.cwd !== null && (found.cwd === folder || found.cwd.startsWith(folder + sep));
}

const gitProcesses = (): Promise<readonly GitProcess[]> | readonly GitProcess[] =>
  process.platform === 'linux' ? fromProc() : fromPs();

function fromProc(): readonly GitProcess[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      if (!readFileSync(`/proc/${name}/comm`, 'utf8').startsWith('git')) return [];
      const args = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      // A zombie has neither arguments nor anything left to do.
      return args === '' ? [] : [{ pid: Number(name), cwd: readlinkSync(`/proc/${name}/cwd`), args }];
    } catch {
      // It ended meanwhile, or belongs to another user and so did not come from us.
      return [];
    }
  });
}

async function fromPs(): Promise<readonly GitProcess[]> {
  const folders = new Map<number, string>();
  let pid = 0;
  for (const line of (await output('lsof', ['-a', '-c', 'git', '-d', 'cwd', '-F', 'pn'])).split('\n')) {
    if (line.startsWith('p')) pid = Number(line.slice(1));
    if (line.startsWith('n')) folders.set(pid, line.slice(1));
  }
  const listed = await output('ps', ['-A', '-ww', '-o', 'pid=,args=']);
  return listed.split('\n').flatMap((line) => {
    const [, number, args] = /^\s*(\d+)\s+((?:\S*\/)?git(?:\s.*)?)$/.exec(line) ?? [];
    return number === undefined || args === undefined
      ? []
      : [{ pid: Number(number), cwd: folders.get(Number(number)) ?? null, args }];
  });
}

function output(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, { maxBuffer: 16 * 1024 * 1024 }, (_error, stdout) => resolve(stdout));
  });
}

/** What git says while another process is in the middle of making or removing a worktree. */
const RACE = /commondir|Invalid path|could not lock config|unable to write upstream|cannot lock ref/i;
const TRIES_MAX = 5;
const WAIT_MS = 40;

/** Others make and remove worktrees too, and do not know our mutex. */
export async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act();
    } catch (error) {
      const racing = error instanceof AppError && RACE.test([error.message, ...error.facts].join('\n'));
      if (!racing || tries === TRIES_MAX) throw error;
      await sleep(WAIT_MS * tries * (0.5 + Math.random()));
    }
  }
}
