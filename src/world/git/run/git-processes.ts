import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface GitProcess {
  readonly pid: number;
  readonly cwd: string | null;
  readonly args: string;
}

export interface Sought {
  /** Any git that stands in this folder or below. */
  readonly folder: string | null;
  /** Any git whose arguments, joined by spaces, hold this text. */
  readonly mentions: string | null;
}

const LOOK_AGAIN_MS = 40;
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
export async function gitsAtWork(sought: Sought): Promise<readonly number[]> {
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
