import { linkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { reach } from '../os/failpoint.ts';
import { isAlive, ownIdentity, toIdentity } from './identity.ts';
import { processSource } from './process-source.ts';
import { readIfThere } from '../os/read-if-there.ts';
import { errnoOf, systemFailure } from '../os/system-failure.ts';
import type { ProcessIdentity } from './identity.ts';
import type { ProcessEntry } from './process-entry.ts';
import { replaceFile } from '../os/files.ts';

export type ShimSight =
  | { readonly state: 'absent' }
  | { readonly state: 'starting'; readonly starter: ProcessIdentity }
  | { readonly state: 'running'; readonly identity: ProcessIdentity }
  | { readonly state: 'exited'; readonly code: number }
  | { readonly state: 'lost' };

/** Written before the process exists: a host that dies right after starting it has left enough to find it by. */
interface StartRecord {
  readonly token: string;
  readonly starter: ProcessIdentity;
  /** By the clock that does not jump; it counts from the starter's boot on. */
  readonly awakeMs: number;
}

/** Takes the run folder for one start; a folder serves once. */
export function claimFolder(dir: string, record: StartRecord): void {
  const draft = join(dir, `start.json.${process.pid}`);
  try {
    writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
    linkSync(draft, join(dir, 'start.json'));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw systemFailure(`an iteration could not be recorded in ${dir}`, error);
    throw new AppError('E_BUSY', `the run folder ${dir} was already used for an iteration`, { cause: error });
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Gives a claimed folder back after nothing could be started in it. */
export function releaseFolder(dir: string): void {
  rmSync(join(dir, 'start.json'), { force: true });
}

/** Without this file a running shim is still found, by its pid and token, only at greater cost. */
export function recordIdentity(dir: string, identity: ProcessIdentity, token: string): void {
  try {
    reach('run.before_identity');
    replaceFile(join(dir, 'identity.json'), JSON.stringify({ ...identity, token }));
  } catch {
    // It is found without.
  }
}

/** What a run folder and the live processes together say about its shim. */
export function lookAtShim(dir: string): ShimSight {
  const exited = readExit(dir);
  if (exited !== null) return exited;
  const identity = readIdentity(dir);
  if (identity !== null)
    return isAlive(identity) ? { state: 'running', identity } : (readExit(dir) ?? { state: 'lost' });
  const start = readStart(dir);
  if (start === null) return { state: 'absent' };
  const pid = readPid(dir);
  const shim = pickShim(processSource.list(), start.token, pid);
  if (shim !== null) {
    const found = toIdentity(shim);
    recordIdentity(dir, found, start.token);
    return { state: 'running', identity: found };
  }
  const late = readExit(dir);
  if (late !== null) return late;
  return pid === null && isAlive(start.starter) ? { state: 'starting', starter: start.starter } : { state: 'lost' };
}

export interface Started {
  readonly token: string;
  /** When, by a clock that people set. */
  readonly startedMs: number;
  /** When, by the clock that does not jump; null: at an earlier boot, or nobody can tell. */
  readonly startedAwakeMs: number | null;
  /** The shim, also if it has ended: its group is what it started. Null: nobody saw it yet. */
  readonly identity: ProcessIdentity | null;
}

/** By what the processes of a run folder are known; each of its files says so, in case another was removed. */
export function readStarted(dir: string): Started {
  const names = ['start.json', 'identity.json'];
  const tokens = [...names.map((name) => readJson(join(dir, name))?.['token']), readText(join(dir, 'token'))];
  const token = tokens.find((one) => typeof one === 'string' && one !== '');
  if (typeof token !== 'string')
    throw new AppError('E_STATE_UNWRITABLE', `the run folder ${dir} no longer says which processes are its own`);
  const times = ['token', ...names].map((name) => statSync(join(dir, name), { throwIfNoEntry: false })?.mtimeMs);
  const sight = lookAtShim(dir);
  const identity = sight.state === 'running' ? sight.identity : readIdentity(dir);
  const startedMs = times.find((one) => one !== undefined) ?? 0;
  return { token, startedMs, startedAwakeMs: readAwakeMs(dir), identity };
}

function readAwakeMs(dir: string): number | null {
  const { starter, awakeMs } = readJson(join(dir, 'start.json')) ?? {};
  const isOfThisBoot = asIdentity(starter)?.bootId === ownIdentity().bootId;
  return isOfThisBoot && typeof awakeMs === 'number' ? awakeMs : null;
}

function readExit(dir: string): { state: 'exited'; code: number } | null {
  const code = /^(\d{1,3})\n$/.exec(readText(join(dir, 'exit')))?.[1];
  return code === undefined ? null : { state: 'exited', code: Number(code) };
}

/** Finds the shim among all processes: the one with its token and pid, or, before a pid was written, the first of all. */
export function pickShim(entries: readonly ProcessEntry[], token: string, pid: number | null): ProcessEntry | null {
  const marked = entries.filter((entry) => entry.token === token && entry.pid !== process.pid);
  if (pid !== null) return marked.find((entry) => entry.pid === pid) ?? null;
  const pids = new Set(marked.map((entry) => entry.pid));
  return marked.find((entry) => entry.pid === entry.group && !pids.has(entry.parent)) ?? null;
}

function readPid(dir: string): number | null {
  const pid = /^(\d+)\n$/.exec(readText(join(dir, 'pid')))?.[1];
  return pid === undefined ? null : Number(pid);
}

function readIdentity(dir: string): ProcessIdentity | null {
  return asIdentity(readJson(join(dir, 'identity.json')));
}

function readStart(dir: string): Omit<StartRecord, 'awakeMs'> | null {
  const value = readJson(join(dir, 'start.json'));
  const starter = asIdentity(value?.['starter']);
  const token = value?.['token'];
  return typeof token === 'string' && starter !== null ? { token, starter } : null;
}

function asIdentity(value: unknown): ProcessIdentity | null {
  const { pid, startTime, bootId } = isRecord(value) ? value : {};
  if (typeof pid !== 'number' || typeof startTime !== 'string' || typeof bootId !== 'string') return null;
  return { pid, startTime, bootId };
}

function readJson(file: string): Record<string, unknown> | null {
  const text = readText(file);
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function readText(file: string): string {
  return readIfThere(file)?.toString('utf8') ?? '';
}
