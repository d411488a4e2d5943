import { spawnSync } from 'node:child_process';
import { GATE_VARIABLE, LOOP_VARIABLE, TOKEN_VARIABLE } from './marker.ts';
import { systemFailure } from '../os/system-failure.ts';
import type { ProcessEntry, ProcessSource, ProcessStat } from './process-entry.ts';

/** Process facts from ps(1), for systems without /proc such as macOS. */
export const portablePs: ProcessSource = { bootId, stat, commandsAbove, list };

const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;
const COLUMNS = 'pid=,ppid=,pgid=,stat=,lstart=,command=';
const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w+ \w+ +\d+ [\d:]+ \d+)\s?(.*)$/;

function bootId(): string {
  return capture('sysctl', ['-n', 'kern.bootsessionuuid']).trim();
}

function stat(pid: number): ProcessStat | null {
  return parseLine(capture('ps', ['-o', COLUMNS, '-p', String(pid)]).split('\n')[0] ?? '');
}

/** Commands may hold line feeds, so who is above whom is asked first. */
function commandsAbove(pid: number): readonly string[] {
  const lines = capture('ps', ['ax', '-o', 'pid=,ppid=']).split('\n');
  const parents = new Map(lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]));
  const above: number[] = [];
  for (let at = pid; at > 1 && !above.includes(at); at = parents.get(at) ?? 0) above.push(at);
  return above.map((one) => capture('ps', ['-ww', '-o', 'command=', '-p', String(one)]));
}

function list(): readonly ProcessEntry[] {
  const lines = capture('ps', ['axeww', '-o', COLUMNS]).split('\n');
  return lines.map(parseLine).filter((entry): entry is ProcessEntry => entry !== null && !entry.zombie);
}

function parseLine(line: string): ProcessEntry | null {
  const [, pid, parent, group, state, startTime, command] = LINE.exec(line) ?? [];
  if (pid === undefined || state === undefined || startTime === undefined || command === undefined) return null;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    startTime,
    zombie: state.startsWith('Z') || state.startsWith('X'),
    stopped: state.startsWith('T'),
    token: variable(command, TOKEN_VARIABLE) ?? variable(command, GATE_VARIABLE),
    loop: variable(command, LOOP_VARIABLE),
  };
}

/** ps prints the environment after the arguments, separated by spaces; our values hold none. */
function variable(command: string, name: string): string | null {
  return new RegExp(`(?:^|\\s)${name}=(\\S+)`).exec(command)?.[1] ?? null;
}

/** Start times are printed in local time, so the zone is fixed: a journey must not change an identity. */
function capture(command: string, argv: readonly string[]): string {
  const env = { PATH: '/bin:/usr/bin:/sbin:/usr/sbin', LC_ALL: 'C', TZ: 'UTC' };
  const result = spawnSync(command, argv, { env, encoding: 'latin1', maxBuffer: OUTPUT_BYTES_MAX });
  if (result.error !== undefined) throw systemFailure(`${command} could not be run`, result.error);
  return result.stdout;
}
