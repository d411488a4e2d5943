import { readlinkSync, readFileSync, readdirSync } from 'node:fs';
import type { ProcessSource, ProcessStat, ProcessEntry } from './process-entry.ts';
import { readIfThere, textIfThere } from '../os/read-if-there.ts';
import { GATE_VARIABLE, LOOP_VARIABLE, TOKEN_VARIABLE } from './marker.ts';
import { errnoOf, systemFailure } from '../os/system-failure.ts';

/** An exec is over within a few milliseconds; one by a thread among many, on a crowded machine, takes longer. */
const BEGINS_MS_MAX = 8;
const PASSES_MAX = 32;
const MARKS = [`${TOKEN_VARIABLE}=`, `${GATE_VARIABLE}=`];

/**
 * Every living process. It is read until there is nobody who was not looked at: what starts while we read would else be missed
 * together with the one that started it and has ended since.
 */
function listProcesses(): readonly ProcessEntry[] {
  const looked = new Map<number, ProcessEntry | null>();
  for (let pass = 1; pass <= PASSES_MAX; pass += 1) {
    const unseen = pidsNow().filter((pid) => !looked.has(pid));
    if (unseen.length === 0) break;
    let begins = 0;
    for (const pid of unseen) {
      const entry = look(pid, pass === PASSES_MAX);
      if (entry === 'begins') begins += 1;
      else looked.set(pid, entry);
    }
    if (begins > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.min(pass, BEGINS_MS_MAX));
  }
  return [...looked.values()].filter((entry) => entry !== null);
}

const pidsNow = (): readonly number[] => readdirSync('/proc').map(Number).filter(Number.isInteger);

/** Null: it has ended. In the middle of an exec a process shows no environment, where its marks will be in a moment. */
function look(pid: number, isLast: boolean): ProcessEntry | null | 'begins' {
  const fields = statFields(pid);
  const stat = statOf(pid, fields);
  if (fields === null || stat === null || stat.zombie) return null;
  const environ = environOf(pid);
  if (environ?.length === 0 && !hasNoEnvironment(fields) && !isLast) return 'begins';
  return { ...stat, ...marksIn(environ) };
}

/** Null: it is not ours to read. Empty also where there is none now: it ends, or one thread of several starts a program. */
function environOf(pid: number): Buffer | null {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    if (errno === 'ESRCH' || errno === 'ENOENT') return Buffer.alloc(0);
    if (errno === 'EACCES' || errno === 'EPERM') return null;
    throw systemFailure(`the environment of process ${pid} could not be read`, error);
  }
}

function marksIn(environ: Buffer | null): { token: string | null; loop: string | null } {
  if (environ === null || !MARKS.some((mark) => environ.includes(mark))) return { token: null, loop: null };
  const text = `\0${environ.toString('latin1')}`;
  return {
    token: variable(text, TOKEN_VARIABLE) ?? variable(text, GATE_VARIABLE),
    loop: variable(text, LOOP_VARIABLE),
  };
}

function variable(text: string, name: string): string | null {
  const mark = `\0${name}=`;
  const at = text.indexOf(mark);
  if (at < 0) return null;
  const end = text.indexOf('\0', at + mark.length);
  return text.slice(at + mark.length, end < 0 ? undefined : end);
}

/** Process facts from /proc. */
export const linuxProc: ProcessSource = { bootId, stat: (pid) => statOf(pid), commandsAbove, list: listProcesses };

/** A chain is no longer than this, but for one that is read while processes come and go. */
const STEPS_MAX = 1000;

/** The namespace the machine itself has, as the kernel numbers it. */
const FIRST_PIDS = 'pid:[4026531836]';

function bootId(): string {
  const boot = readIfThere('/proc/sys/kernel/random/boot_id')?.toString('latin1').trim() ?? '';
  const pids = pidNamespace();
  return pids === FIRST_PIDS ? boot : `${boot}/${pids}`;
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return FIRST_PIDS;
  }
}

function commandsAbove(pid: number): readonly string[] {
  const commands: string[] = [];
  for (let at = pid; at > 1 && commands.length < STEPS_MAX; at = statOf(at)?.parent ?? 0)
    commands.push(textIfThere(`/proc/${at}/cmdline`));
  return commands;
}

const THREADS = 17;
const LOOKS_MAX = 100;

/** From the state on, in the order of /proc/PID/stat; null: there is no such process. */
export function statFields(pid: number): readonly string[] | null {
  for (let looks = 1; ; looks += 1) {
    const fields = fieldsNow(pid);
    // Read in the moment in which its first thread goes: the next look finds nobody, or the thread that has its number now.
    if (fields?.[THREADS] !== '0' || looks === LOOKS_MAX) return fields;
  }
}

function fieldsNow(pid: number): readonly string[] | null {
  const text = readIfThere(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The command name may itself hold spaces and parentheses, so fields are counted from its last one.
  return text
    .subarray(text.lastIndexOf(')') + 2)
    .toString('latin1')
    .split(' ');
}

export function statOf(pid: number, fields = statFields(pid)): ProcessStat | null {
  const [state, parent, group] = fields ?? [];
  const startTime = fields?.[19];
  if (state === undefined || startTime === undefined) return null;
  // While one thread of several starts another program, the first one, which the process is named after, has ended already.
  const zombie = state === 'X' || (state === 'Z' && Number(fields?.[THREADS]) <= 1);
  const stopped = state === 'T' || state === 't';
  return { pid, parent: Number(parent), group: Number(group), startTime, zombie, stopped };
}

const FLAGS = 6;
const KERNEL_THREAD = 0x00_20_00_00;
const ENVIRON_FROM = 47;
const ENVIRON_TO = 48;

/** Nothing is in its environment, nor will be: a thread of the kernel, or a process that was started with none. */
export function hasNoEnvironment(fields: readonly string[]): boolean {
  if ((Number(fields[FLAGS]) & KERNEL_THREAD) !== 0) return true;
  return fields[ENVIRON_TO] !== '0' && fields[ENVIRON_FROM] === fields[ENVIRON_TO];
}
