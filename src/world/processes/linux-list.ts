import { readFileSync, readdirSync } from 'node:fs';
import { hasNoEnvironment, statFields, statOf } from './linux-stat.ts';
import { GATE_VARIABLE, LOOP_VARIABLE, TOKEN_VARIABLE } from './marker.ts';
import type { ProcessEntry } from './process-entry.ts';
import { errnoOf, systemFailure } from '../os/system-failure.ts';

/** An exec is over within a few milliseconds; one by a thread among many, on a crowded machine, takes longer. */
const BEGINS_MS_MAX = 8;
const PASSES_MAX = 32;
const MARKS = [`${TOKEN_VARIABLE}=`, `${GATE_VARIABLE}=`];

/**
 * Every living process. It is read until there is nobody who was not looked at: what starts while we read would else be missed
 * together with the one that started it and has ended since.
 */
export function listProcesses(): readonly ProcessEntry[] {
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
