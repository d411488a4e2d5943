import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

import { hasNoEnvironment, statFields } from '../../../src/world/processes/linux-proc.ts';

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
  /** Carries a mark every process below a loop inherits. */
  readonly isLoops: boolean;
}

/** An exec is over within a few milliseconds, also on a crowded machine. */
const BEGINS_MS = 1;
const PASSES_MAX = 32;
/** What was killed needs a moment to leave the process table. */
const DIES_MS = 20;
const rest = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const MARK = /(^|[\0 ])RALPH_(TOKEN|GATE_MARK|LOOP_ID)=/;

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

/** Kills what a failed test left behind, and what that starts while it dies: nobody writes into the folder any more. */
export function killAll(root: string): void {
  for (let tries = 100; tries > 0; tries -= 1) {
    const found = processesOf(root);
    if (found.length === 0) return;
    for (const { pid } of found) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself in between.
      }
    }
    rest(DIES_MS);
  }
}

/**
 * Read until nobody is left who was not looked at: what starts meanwhile would else be missed together with the one that
 * started it. In the middle of an exec a process shows neither its marks nor its command, so it is looked at again.
 */
function fromProc(root: string): FoundProcess[] {
  const looked = new Map<string, FoundProcess | null>();
  for (let pass = 1; pass <= PASSES_MAX; pass += 1) {
    const unseen = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !looked.has(name));
    const seen = unseen.map((name) => [name, look(name, root, pass === PASSES_MAX)] as const);
    for (const [name, found] of seen) if (found !== 'begins') looked.set(name, found);
    if (unseen.length === 0) break;
    if (seen.some(([, found]) => found === 'begins')) rest(BEGINS_MS);
  }
  return [...looked.values()].filter((found) => found !== null);
}

/** Null: it has ended, is another user's, or has nothing to do with the folder. */
function look(name: string, root: string, isLast: boolean): FoundProcess | null | 'begins' {
  try {
    const fields = statFields(Number(name));
    if (fields === null || isZombie(Number(name))) return null;
    const environment = readFileSync(`/proc/${name}/environ`, 'utf8');
    const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    if ((environment === '' || command === '') && !hasNoEnvironment(fields) && !isLast) return 'begins';
    const isOurs = environment.includes(root) || readlinkSync(`/proc/${name}/cwd`).startsWith(root);
    return isOurs ? { pid: Number(name), command, isLoops: MARK.test(environment) } : null;
  } catch {
    return null;
  }
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
