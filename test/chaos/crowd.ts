import { readdirSync, readFileSync } from 'node:fs';

import type { Place } from './place.ts';
import { USER_MARK } from './place.ts';

export interface Member {
  readonly pid: number;
  /** Pid and start time: nobody else is ever called that. */
  readonly name: string;
  readonly parent: number;
  readonly command: string;
  readonly state: string;
  /** Inside a loop: an agent, a gate, a shim, or what they started. */
  readonly isLoops: boolean;
  readonly isGit: boolean;
}

const LOOP_MARK = /(^|\0)RALPH_(TOKEN|LOOP_ID)=/;

/** Every living process of a round, known by the round's folder in its environment; the user's own are left out. */
export function crowd(place: Pick<Place, 'root'>): Member[] {
  return everybody(place, false);
}

/** The same, and the user's own if wanted. */
export function everybody({ root }: Pick<Place, 'root'>, withUsers: boolean): Member[] {
  return pids().flatMap((pid) => {
    const environment = read(`/proc/${pid}/environ`);
    if (environment === null || !environment.includes(root)) return [];
    if (!withUsers && environment.includes(`${USER_MARK}=`)) return [];
    const stat = statOf(pid);
    if (stat === null || stat.state === 'Z' || pid === process.pid) return [];
    const command = (read(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim();
    const isGit = /^git$|^git-/.test(stat.comm);
    return [{ pid, ...stat, name: `${pid}.${stat.start}`, command, isLoops: LOOP_MARK.test(environment), isGit }];
  });
}

/** Whether that very process is still there. */
export function isThere(pid: number, start: string): boolean {
  const stat = statOf(pid);
  return stat !== null && stat.start === start && stat.state !== 'Z';
}

/** Sends a signal to that very process. */
export function hit({ pid, name }: Pick<Member, 'pid' | 'name'>, signal: NodeJS.Signals): boolean {
  const stat = statOf(pid);
  if (stat === null || name !== `${pid}.${stat.start}`) return false;
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

export interface Stat {
  readonly comm: string;
  readonly state: string;
  readonly parent: number;
  readonly start: string;
}

export function statOf(pid: number): Stat | null {
  const text = read(`/proc/${pid}/stat`);
  if (text === null) return null;
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  return {
    comm: text.slice(text.indexOf('(') + 1, close),
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    start: fields[19] ?? '',
  };
}

/** The most memory a process ever had, in megabytes. */
export function peakMb(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}
