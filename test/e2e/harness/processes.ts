import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
  /** Carries a mark every process below a loop inherits. */
  readonly isLoops: boolean;
}

const MARK = /(^|[\0 ])RALPH_(TOKEN|LOOP_ID)=/;

/** Every process that works in or was started for this folder, ourselves left out. */
export function processesOf(root: string): FoundProcess[] {
  const found = existsSync('/proc/self/environ') ? fromProc(root) : fromPs(root);
  return found.filter((one) => one.pid !== process.pid);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !isZombie(pid);
}

/** Kills what a failed test left behind. */
export function killAll(root: string): void {
  for (const { pid } of processesOf(root)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself in between.
    }
  }
}

function fromProc(root: string): FoundProcess[] {
  const found: FoundProcess[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8');
      const isOurs = environment.includes(root) || readlinkSync(`/proc/${name}/cwd`).startsWith(root);
      if (!isOurs || isZombie(Number(name))) continue;
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      found.push({ pid: Number(name), command, isLoops: MARK.test(environment) });
    } catch {
      // Ended meanwhile, or another user's.
    }
  }
  return found;
}

function fromPs(root: string): FoundProcess[] {
  const lines = execFileSync('ps', ['axeww', '-o', 'pid=,command='], { encoding: 'utf8', maxBuffer: 1 << 28 }).split(
    '\n',
  );
  return lines
    .filter((line) => line.includes(root))
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().slice(0, 200), isLoops: MARK.test(line) }));
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}
