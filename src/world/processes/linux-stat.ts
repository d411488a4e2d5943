import type { ProcessStat } from './process-entry.ts';
import { readIfThere } from '../os/read-if-there.ts';

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
