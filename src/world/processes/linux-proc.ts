import { readdirSync, readlinkSync } from 'node:fs';
import { LOOP_VARIABLE, TOKEN_VARIABLE } from './marker.ts';
import { readIfThere } from './read-if-there.ts';
import type { ProcessEntry, ProcessSource, ProcessStat } from './process-entry.ts';

/** Process facts from /proc. */
export const linuxProc: ProcessSource = { bootId, stat, list };

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

function stat(pid: number): ProcessStat | null {
  const text = readIfThere(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The command name may itself hold spaces and parentheses, so fields are counted from its last one.
  const fields = text
    .subarray(text.lastIndexOf(')') + 2)
    .toString('latin1')
    .split(' ');
  const [state, parent, group] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return null;
  const zombie = state === 'Z' || state === 'X';
  const stopped = state === 'T' || state === 't';
  return { pid, parent: Number(parent), group: Number(group), startTime, zombie, stopped };
}

function list(): readonly ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const found = stat(pid);
    if (found === null || found.zombie) continue;
    entries.push({ ...found, ...marksOf(pid) });
  }
  return entries;
}

function marksOf(pid: number): { token: string | null; loop: string | null } {
  const environ = readIfThere(`/proc/${pid}/environ`);
  if (environ === null || !environ.includes(`${TOKEN_VARIABLE}=`)) return { token: null, loop: null };
  const text = `\0${environ.toString('latin1')}`;
  return { token: variable(text, TOKEN_VARIABLE), loop: variable(text, LOOP_VARIABLE) };
}

function variable(text: string, name: string): string | null {
  const mark = `\0${name}=`;
  const at = text.indexOf(mark);
  if (at < 0) return null;
  const end = text.indexOf('\0', at + mark.length);
  return text.slice(at + mark.length, end < 0 ? undefined : end);
}
