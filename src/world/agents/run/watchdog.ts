import { describeMs } from '../../../core/model/describe-time.ts';
import type { IterationEnd } from '../../../text/agents/report.ts';

/** A longer gap between two looks means that we slept, not the agent: it counts as no more than this. */
const GAP_MS_MAX = 5000;

interface WatchdogLimits {
  /** Null: silence means nothing. */
  readonly stallMs: number | null;
  readonly maxTurns: number;
  readonly outputMb: number;
}

export interface Look {
  /** Of a clock that only goes forward. */
  readonly atMs: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly turns: number;
}

export type Stop = Extract<IterationEnd, { how: 'stopped' }>;

/** Says when an iteration that goes on by itself must be stopped. Tell it often what it looks like. */
export function createWatchdog(limits: WatchdogLimits): (look: Look) => Stop | null {
  const { stallMs, maxTurns, outputMb } = limits;
  let last: Look | null = null;
  let silentMs = 0;
  return (look) => {
    const isSilent = last !== null && look.stdoutBytes === last.stdoutBytes && look.stderrBytes === last.stderrBytes;
    silentMs = isSilent && last !== null ? silentMs + Math.min(look.atMs - last.atMs, GAP_MS_MAX) : 0;
    last = look;
    if (look.stdoutBytes + look.stderrBytes > outputMb * 1024 * 1024)
      return { how: 'stopped', why: 'flood', detail: `printed more than ${outputMb} MB` };
    if (look.turns > maxTurns) return { how: 'stopped', why: 'turns', detail: `more than ${maxTurns} turns` };
    if (stallMs !== null && silentMs >= stallMs)
      return { how: 'stopped', why: 'stalled', detail: `no output for ${briefly(stallMs)}` };
    return null;
  };
}

/** A time somebody set is round: 30m, not 30m00s. */
const briefly = (ms: number): string =>
  describeMs(ms)
    .replace(/(?<=\d[mh])0+[ms]$/, '')
    .replace('.0s', 's');

interface LingerLook {
  /** Of a clock that only goes forward. */
  readonly atMs: number;
  /** All it has printed. */
  readonly bytes: number;
}

/**
 * Says when an agent that has said its last word does not end: some clients wait for something that never comes. What still
 * prints is at work, however long it takes. `isOver` is asked once for each silence.
 */
export function createLinger(lingerMs: number, isOver: () => Promise<boolean>): (look: LingerLook) => Promise<boolean> {
  let last: LingerLook | null = null;
  let silentMs = 0;
  let isAsked = false;
  return async (look) => {
    const isSilent = last !== null && look.bytes === last.bytes;
    silentMs = isSilent && last !== null ? silentMs + Math.min(look.atMs - last.atMs, GAP_MS_MAX) : 0;
    last = look;
    if (!isSilent) isAsked = false;
    if (isAsked || silentMs < lingerMs) return false;
    isAsked = true;
    return isOver();
  };
}
