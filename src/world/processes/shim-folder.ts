import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/errors.ts';
import { isAlive, toIdentity } from './identity.ts';
import { processSource } from './process-source.ts';
import { readIfThere } from './read-if-there.ts';
import { errnoOf, systemFailure } from './system-failure.ts';
import type { ProcessIdentity } from './identity.ts';

export type ShimSight =
  | { readonly state: 'absent' }
  | { readonly state: 'starting' }
  | { readonly state: 'running'; readonly identity: ProcessIdentity }
  | { readonly state: 'exited'; readonly code: number }
  | { readonly state: 'lost' };

/** Written before the process exists: a host that dies right after starting it has left enough to find it by. */
interface StartRecord {
  readonly token: string;
  readonly starter: ProcessIdentity;
}

/** Takes the run folder for one start; a folder serves once. */
export function claimFolder(dir: string, record: StartRecord): void {
  const draft = join(dir, `start.json.${process.pid}`);
  try {
    writeFileSync(draft, JSON.stringify(record), { mode: 0o600 });
    linkSync(draft, join(dir, 'start.json'));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw systemFailure(`An iteration could not be recorded in ${dir}`, error);
    throw new AppError('E_BUSY', `The run folder ${dir} was already used for an iteration.`, { cause: error });
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
  const draft = join(dir, `identity.json.${process.pid}`);
  try {
    writeFileSync(draft, JSON.stringify({ ...identity, token }), { mode: 0o600 });
    renameSync(draft, join(dir, 'identity.json'));
  } catch {
    rmSync(draft, { force: true });
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
  const found = findShim(dir, start.token);
  if (found !== null) {
    recordIdentity(dir, found, start.token);
    return { state: 'running', identity: found };
  }
  const late = readExit(dir);
  if (late !== null) return late;
  return isAlive(start.starter) ? { state: 'starting' } : { state: 'lost' };
}

function readExit(dir: string): { state: 'exited'; code: number } | null {
  const code = /^(\d{1,3})\n$/.exec(readText(join(dir, 'exit')))?.[1];
  return code === undefined ? null : { state: 'exited', code: Number(code) };
}

function findShim(dir: string, token: string): ProcessIdentity | null {
  const marked = processSource.list().filter((entry) => entry.token === token && entry.pid !== process.pid);
  const pid = Number.parseInt(readText(join(dir, 'pid')), 10);
  const byPid = marked.find((entry) => entry.pid === pid);
  // Not even the pid was written: then the shim leads its group and nothing marked started it.
  const first = marked.find(
    (entry) => entry.pid === entry.group && !marked.some((other) => other.pid === entry.parent),
  );
  const shim = Number.isNaN(pid) ? first : byPid;
  return shim === undefined ? null : toIdentity(shim);
}

function readIdentity(dir: string): ProcessIdentity | null {
  return asIdentity(readJson(join(dir, 'identity.json')));
}

function readStart(dir: string): StartRecord | null {
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
