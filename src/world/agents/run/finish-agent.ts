import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { reach } from '../../os/failpoint.ts';
import { awaitShim, readShim } from '../../processes/shim.ts';
import { readStarted } from '../../processes/shim-folder.ts';
import { stopTree } from '../../processes/stop-tree.ts';
import { errnoOf } from '../../os/system-failure.ts';
import { readAgentFile } from './agent-file.ts';
import { createBound } from '../../os/clock.ts';
import { withComplaint, keepResult, readResult } from './result-file.ts';
import { canTalk, newestTaken, putMessage } from './inbox.ts';
import { createLinger, createWatchdog } from './watchdog.ts';
import { listen } from './listen.ts';
import { trimLog } from './trim.ts';
import type { IterationEnd } from '../../../text/agents/report.ts';
import type { Started } from '../../processes/shim-folder.ts';
import type { Agents, IterationResult } from '../../contract/world.ts';
import type { AgentFile } from './agent-file.ts';
import type { AgentPlace } from './agent-place.ts';
import type { Listener } from './listen.ts';
import type { Kept } from './result-file.ts';
import type { Stop } from './watchdog.ts';
import type { LoopLog } from '../../worktrees/loop-log.ts';

type FinishOptions = Parameters<Agents['finish']>[1];

const POLL_MS = 250;
/** Two looks are never so far apart in a process that runs. */
const SUSPENDED_MS = 5000;
/** How long a client that is asked by protocol gets to end its turn in order. */
const ASKED_MS_MAX = 3000;
/** What is said last may come in two pieces. */
const LINGER_MS_MIN = 1000;
const LOGS = ['stdout.log', 'stderr.log'];
const MEGABYTE = 1024 * 1024;

/** Waits for the end of an iteration, whoever started it; afterwards no process of it lives and its logs are short. */
export async function finishAgent(
  place: AgentPlace,
  dir: string,
  log: LoopLog,
  options: FinishOptions,
): Promise<IterationResult> {
  const { result, isKept } = (await readResult(dir)) ?? (await seeItEnd(place, dir, log, options));
  reach('run.exit_recorded');
  for (const name of isKept ? LOGS : []) await trimLog(join(dir, name), place.limits.logMb * MEGABYTE);
  return result;
}

async function seeItEnd(place: AgentPlace, dir: string, log: LoopLog, options: FinishOptions): Promise<Kept> {
  const agent = readAgentFile(dir);
  // Before the waiting: whatever becomes of the folder meanwhile, its processes can be found.
  const started = readStarted(dir);
  const { token, identity } = started;
  const { state } = readShim(dir);
  const isEnded = state === 'exited' || state === 'lost';
  const listener = listen(dir, agent, place.clock.nowMs());
  const copier = log.follow(dir);
  const onPoll = async (signal: AbortSignal): Promise<void> => {
    copier.copy();
    await listener.advance(signal);
  };
  const runtimeMs = options.timeoutMs - ranMs(place, started);
  const { end, isUnseen } = await watch({ place, dir, agent, listener, onPoll, options, runtimeMs });
  const durationMs = Math.round(isEnded || isUnseen ? lastedMs(place, dir, started) : ranMs(place, started));
  reach('run.exit_seen');
  const { swept } = await stopTree({
    identity,
    token,
    graceMs: isFlood(end) ? 0 : options.graceMs,
    force: options.force,
  });
  if (isFlood(end)) for (const name of LOGS) cutOff(join(dir, name), place.limits.outputMb * MEGABYTE);
  copier.finish();
  const report = withComplaint({ dir, end, agent, completion: options.completion ?? null }, await listener.report());
  if (listener.skipped() > 0) log.note(`${listener.skipped()} lines were too long to be read`);
  log.note(`iteration ended: ${describe(end)} after ${durationMs} ms`);
  const { name, account } = agent;
  const guided = Math.max(agent.guided, newestTaken(dir));
  const result = { agent: name, account, guided, end, durationMs, swept, report };
  return keepResult(dir, result);
}

interface Watch {
  readonly place: AgentPlace;
  readonly dir: string;
  readonly agent: AgentFile;
  readonly listener: Listener;
  readonly onPoll: (signal: AbortSignal) => Promise<void>;
  readonly options: FinishOptions;
  readonly runtimeMs: number;
}

interface Watched {
  readonly end: IterationEnd;
  /** It ended while this process was suspended: when, only files tell. */
  readonly isUnseen: boolean;
}

/** Waits for the end, or for a reason to make one; what talks by protocol is asked to end before it is made to. */
async function watch({ place, dir, agent, listener, onPoll, options, runtimeMs }: Watch): Promise<Watched> {
  const { stallMs, maxTurns } = agent;
  const watchdog = createWatchdog({ stallMs, maxTurns, outputMb: place.limits.outputMb });
  const bound = createBound(options.signal, runtimeMs);
  // What talks may have been asked something more after its last word.
  const isOver = async (): Promise<boolean> =>
    options.completion != null && !canTalk(dir) && listener.isOver(options.completion);
  const linger = createLinger(Math.max(LINGER_MS_MIN, options.graceMs), isOver);
  let stop: Stop | null = null;
  let isLingering = false;
  let lookedAtMs = place.clock.awakeMs();
  let wokeAtMs = -Infinity;
  const look = async (): Promise<void> => {
    if (place.clock.awakeMs() - lookedAtMs > SUSPENDED_MS) wokeAtMs = place.clock.awakeMs();
    const [stdoutBytes = 0, stderrBytes = 0] = LOGS.map((name) => sizeOf(join(dir, name)));
    // The bytes are counted first: a flood grows faster than it can be read.
    if (stdoutBytes + stderrBytes <= place.limits.outputMb * MEGABYTE) await onPoll(bound.signal);
    stop = watchdog({ atMs: place.clock.awakeMs(), stdoutBytes, stderrBytes, turns: listener.turns() });
    isLingering = await linger({ atMs: place.clock.awakeMs(), bytes: stdoutBytes + stderrBytes });
    if (stop !== null || isLingering) bound.abort();
    lookedAtMs = place.clock.awakeMs();
  };
  try {
    const ended = await awaitShim(dir, { signal: bound.signal, pollMs: POLL_MS, onPoll: look });
    const isUnseen = place.clock.awakeMs() - wokeAtMs < SUSPENDED_MS;
    if (ended.state === 'exited' && stop === null) return { end: { how: 'exited', code: ended.code }, isUnseen };
    if (ended.state === 'lost') return { end: { how: 'lost' }, isUnseen };
  } finally {
    bound.release();
  }
  if (isLingering && stop === null) return { end: { how: 'exited', code: 0 }, isUnseen: false };
  const isInterrupted = stop === null && options.signal.aborted;
  const end: IterationEnd = stop ?? { how: isInterrupted ? 'interrupted' : 'timed-out' };
  if (!isFlood(end)) await askToEnd(dir, options);
  return { end, isUnseen: false };
}

async function askToEnd(dir: string, options: FinishOptions): Promise<void> {
  if (!canTalk(dir)) return;
  putMessage(dir, 'interrupt', { type: 'interrupt' });
  const bound = createBound(options.force, Math.min(ASKED_MS_MAX, options.graceMs));
  await awaitShim(dir, { signal: bound.signal, pollMs: POLL_MS });
  bound.release();
}

/** It is not asked and gets no time: every second of it may be a gigabyte. */
const isFlood = (end: IterationEnd): boolean => end.how === 'stopped' && end.why === 'flood';

function cutOff(file: string, bytesMax: number): void {
  try {
    if (sizeOf(file) > bytesMax) truncateSync(file, bytesMax);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** How long it has run, not counting the time the machine slept. By the clock that people set only where nothing else is known. */
function ranMs({ clock }: AgentPlace, { startedAwakeMs, startedMs }: Started): number {
  const ms = startedAwakeMs === null ? clock.nowMs() - startedMs : clock.awakeMs() - startedAwakeMs;
  return Math.max(0, ms);
}

/** How long it ran if nobody was there to see its end: files tell, as far as their clock can be believed. */
function lastedMs(place: AgentPlace, dir: string, started: Started): number {
  const writtenMs = (name: string): number | undefined => statSync(join(dir, name), { throwIfNoEntry: false })?.mtimeMs;
  // Where not even its end was written down, its last words are the last that is known of it.
  const endedMs = writtenMs('exit') ?? Math.max(started.startedMs, ...LOGS.map((name) => writtenMs(name) ?? 0));
  return Math.max(0, Math.min(endedMs - started.startedMs, ranMs(place, started)));
}

function describe(end: IterationEnd): string {
  switch (end.how) {
    case 'exited':
      return `exit ${end.code}`;
    case 'stopped':
      return `${end.why}, ${end.detail}`;
    case 'lost':
    case 'timed-out':
    case 'interrupted':
      return end.how;
  }
}
