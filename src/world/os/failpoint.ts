import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';

/** True in test builds only; in all others everything below vanishes, names included. */
declare const __FAILPOINTS__: boolean | undefined;
const ENABLED = typeof __FAILPOINTS__ !== 'undefined' && __FAILPOINTS__;

/** Named moments of the log, where tests pause, fail or die. */
export const LOG_POINTS = [
  'append:start',
  'append:synced',
  'append:linked',
  'append:listed',
  'append:durable',
  'read:scanned',
  'compact:read',
  'compact:synced',
  'compact:linked',
  'compact:durable',
  'compact:unlinked-one',
  'snapshot:synced',
  'snapshot:renamed',
] as const;
export type LogPoint = (typeof LOG_POINTS)[number];

/** Places between two steps where a test lets a process die, fail or stand still. */
const AREAS = {
  mutex: ['tmp', 'linked', 'dead', 'released'],
  host: ['opened', 'left'],
  wt: ['intent', 'after_admin', 'checked_out', 'done', 'folder_gone'],
  pool: ['claimed', 'moved', 'taken', 'restored', 'retired'],
  run: ['intent', 'after_spawn', 'before_identity', 'after_identity', 'exit_seen', 'exit_recorded'],
  place: ['noted', 'taken', 'back', 'returned', 'committed', 'moved', 'left'],
  iter: ['start', 'committed', 'ended'],
  gate: ['stands', 'start', 'end', 'tested'],
  update: ['begun', 'moved', 'done'],
  train: ['named', 'followed', 'built', 'held', 'released'],
  land: ['before_sync', 'before_cas', 'after_cas', 'synced', 'done'],
  publish: ['begun', 'journal', 'staged', 'merged', 'restaged', 'aside', 'ticked', 'ref', 'done', 'healed'],
  retire: ['unpinned', 'pooled', 'done'],
  keep: ['snapshot', 'pinned'],
  clean: ['kept', 'begun', 'aside', 'folder', 'entry', 'branch', 'done'],
  spare: ['kept', 'branch', 'told', 'entry', 'handed'],
  undo: ['branch', 'entry', 'done'],
  repair: ['begun', 'rebuilt', 'aside', 'done'],
  stop: ['term', 'kill', 'sweep'],
} as const;

type Areas = typeof AREAS;
type LogFailpoint<P> = P extends `${infer Part}:${infer Step}` ? `log.${Part}.${Step}` : never;
export type Failpoint =
  | LogFailpoint<LogPoint>
  | { readonly [A in keyof Areas]: `${A}.${Areas[A][number]}` }[keyof Areas];

const nameOf = (point: LogPoint): string => `log.${point.replace(':', '.')}`;

// Marked as pure so that a build without failpoints drops it.
export const FAILPOINTS: readonly Failpoint[] = /* @__PURE__ */ listFailpoints();

function listFailpoints(): readonly Failpoint[] {
  const others = Object.entries(AREAS).flatMap(([area, steps]) => steps.map((step) => `${area}.${step}`));
  return [...LOG_POINTS.map(nameOf), ...others] as Failpoint[];
}

const ACTIONS = ['kill', 'throw', 'enospc', 'stop', 'tell'] as const;
export type FailpointAction = (typeof ACTIONS)[number];

interface Armed {
  readonly nth: number;
  readonly action: FailpointAction;
}

const armed = new Map<string, Armed>();
const arrivals = new Map<string, number>();
const STOP_SECONDS = 5;

/** Nothing happens here unless RALPH_FAILPOINTS of a test build says so: `name[#nth]=kill|throw|enospc|stop|tell[;...]`. */
export function reach(point: Failpoint): void {
  if (ENABLED) arrive(point);
}

/** The same for the points of the log, which have names of their own. */
export function reachLog(point: LogPoint): void {
  if (ENABLED) arrive(nameOf(point));
}

/** Arms this process anew; what was armed before is forgotten. */
export function armFailpoints(text: string): void {
  armed.clear();
  arrivals.clear();
  for (const part of text.split(';').filter((one) => one.trim() !== '')) {
    const [, name = '', nth = '1', action = ''] = /^([\w.-]+)(?:#([1-9]\d*))?=(\w+)$/.exec(part.trim()) ?? [];
    const known = ACTIONS.find((one) => one === action);
    if (known === undefined || !(FAILPOINTS as readonly string[]).includes(name)) throw unknown(part.trim());
    armed.set(name, { nth: Number(nth), action: known });
  }
}

if (ENABLED) armFailpoints(process.env['RALPH_FAILPOINTS'] ?? '');

function unknown(part: string): Error {
  return new Error(
    `RALPH_FAILPOINTS: ${JSON.stringify(part)} is not NAME[#NTH]=ACTION.\nACTION: ${ACTIONS.join(' ')}\nNAME: ${FAILPOINTS.join(' ')}`,
  );
}

function arrive(name: string): void {
  const order = armed.get(name);
  if (order === undefined) return;
  const arrival = (arrivals.get(name) ?? 0) + 1;
  arrivals.set(name, arrival);
  if (order.action === 'tell') tell(name, order.action);
  else if (arrival === order.nth) act(name, order.action);
}

function act(name: string, action: Exclude<FailpointAction, 'tell'>): void {
  tell(name, action);
  switch (action) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return standStill();
    case 'stop':
      continueLater();
      process.kill(process.pid, 'SIGSTOP');
      return;
    case 'throw':
      throw new Error(`failpoint ${name}`);
    case 'enospc':
      throw fullDisk(name);
  }
}

/** As the file system says it. */
function fullDisk(name: string): Error {
  const error = new Error(`ENOSPC: no space left on device, write (failpoint ${name})`);
  return Object.assign(error, { code: 'ENOSPC', errno: -28, syscall: 'write' });
}

/** So that a test knows that it came this far. */
function tell(name: string, action: FailpointAction): void {
  writeSync(2, `failpoint ${name} ${action}\n`);
}

/** The signal may take a moment, in which nothing more must happen. */
function standStill(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000);
}

function continueLater(): void {
  const script = `sleep ${STOP_SECONDS}; kill -CONT ${process.pid}`;
  spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } }).unref();
}
