import { join } from 'node:path';
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { saysDone } from '../../../text/agents/completion.ts';
import { openReader } from '../../../text/agents/open-reader.ts';
import { createReporter, textReport } from '../../../text/agents/reporter.ts';
import { readTail } from '../../os/tail.ts';
import { errnoOf, systemFailure } from '../../os/system-failure.ts';
import type { Report } from '../../../text/agents/report.ts';
import type { AgentFile } from './agent-file.ts';

export type Completion = Parameters<typeof saysDone>[1];

const FINAL_TEXT_BYTES = 64 * 1024;

/** What an iteration tells on its standard output, followed while it runs. */
export interface Listener {
  /** Reads on; a signal leaves the rest for later. */
  advance(signal: AbortSignal): Promise<void>;
  turns(): number;
  /** What it told in all, once it has ended. */
  report(): Promise<Report>;
  /** Whether it has said that it is done, as the last thing so far. */
  isOver(completion: Completion): boolean;
  /** How many lines were too long to be read. */
  skipped(): number;
}

/** From the beginning of the file, whoever started the iteration: everything it told counts. */
export function listen(dir: string, agent: AgentFile, nowMs: number): Listener {
  const file = join(dir, 'stdout.log');
  if (agent.protocol === 'text') return listenToText(file);
  const utcOffsetMin = -new Date(nowMs).getTimezoneOffset();
  const reader = openReader(agent.protocol, { nowMs, utcOffsetMin });
  const reporter = createReporter({ protocol: agent.protocol, price: agent.price });
  const follower = createFollower(file, (line) => reporter.take(reader.read(line)));
  return {
    advance: (signal) => follower.advance(signal),
    turns: () => reporter.turns(),
    report: async () => {
      await follower.finish();
      const report = reporter.report();
      // Lines in no shape we know: then its words count as they stand.
      return agent.protocol === 'jsonl' && report.isTerminal === null
        ? textReport(readTail(file, FINAL_TEXT_BYTES))
        : report;
    },
    isOver: (completion) => {
      if (agent.protocol === 'jsonl') return endsDone(file, completion);
      const { isTerminal, failure, finalText } = reporter.report();
      // Some clients tell of each step like of the last one: what the agent itself said decides.
      return isTerminal === true && failure === null && saysDone(finalText, completion);
    },
    skipped: () => follower.skipped(),
  };
}

const endsDone = (file: string, completion: Completion): boolean =>
  saysDone(textReport(readTail(file, FINAL_TEXT_BYTES)).finalText, completion);

/** Plain words tell nothing on the way; what counts stands at the end. */
function listenToText(file: string): Listener {
  return {
    advance: () => Promise.resolve(),
    turns: () => 0,
    report: () => Promise.resolve(textReport(readTail(file, FINAL_TEXT_BYTES))),
    isOver: (completion) => endsDone(file, completion),
    skipped: () => 0,
  };
}

const PIECE_BYTES = 256 * 1024;
/** How much is read before others get a turn of the event loop: a few tens of milliseconds of parsing. */
const TURN_BYTES_MAX = 2 * 1024 * 1024;
/** It was taken away, or something else stands in its place: then nothing was said. */
const NO_FILE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP']);
const piece = Buffer.allocUnsafe(PIECE_BYTES);

export interface Follower {
  /** Reads what the file holds by now, or until told to leave the rest; what is added meanwhile waits for the next call. */
  advance(signal?: AbortSignal): Promise<void>;
  /** Reads the rest of a file that grows no more. */
  finish(): Promise<void>;
  /** How many lines were too long to be read. */
  skipped(): number;
}

/** Reads a growing file line by line, in bounded memory however fast it grows and however long its lines are. */
export function createFollower(file: string, onLine: (line: string) => void): Follower {
  const lines = createLineSplitter(onLine);
  let position = 0;

  /** Opened anew each time: a hundred loops hold no file, and one that is out of handles reads later. */
  function readSome(): boolean {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const end = Math.min(fstatSync(fd).size, position + TURN_BYTES_MAX);
      for (let count = -1; count !== 0 && position < end; position += count) {
        count = readSync(fd, piece, 0, Math.min(PIECE_BYTES, end - position), position);
        lines.take(piece.subarray(0, count));
      }
      return position < fstatSync(fd).size;
    } finally {
      closeSync(fd);
    }
  }

  async function readTo(end: number, signal?: AbortSignal): Promise<void> {
    while (position < end && signal?.aborted !== true && readSome()) await nextTurn();
  }

  return {
    advance: async (signal) => {
      try {
        await readTo(statSync(file).size, signal);
      } catch (error) {
        if (errnoOf(error) === null) throw error;
      }
    },
    finish: async () => {
      try {
        await readTo(Infinity);
      } catch (error) {
        const errno = errnoOf(error);
        if (errno === null) throw error;
        if (!NO_FILE.has(errno)) throw systemFailure(`${file} could not be read`, error);
      }
      lines.finish();
    },
    skipped: () => lines.skipped(),
  };
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** A line longer than this says nothing we need: the file still holds it. */
const LINE_BYTES_MAX = 1024 * 1024;

interface LineSplitter {
  /** The bytes may be used again once this returns. */
  take(bytes: Buffer): void;
  /** A last line without an end is one too. */
  finish(): void;
  /** How many lines were too long to be held. */
  skipped(): number;
}

/** Cuts bytes into lines of text. Whole lines are decoded, so that a piece never ends inside a character. */
export function createLineSplitter(onLine: (line: string) => void): LineSplitter {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let isTooLong = false;
  let skipped = 0;

  function hold(piece: Buffer): void {
    pendingBytes += piece.length;
    isTooLong ||= pendingBytes > LINE_BYTES_MAX;
    if (isTooLong) pending = [];
    else if (piece.length > 0) pending.push(Buffer.from(piece));
  }

  function end(rest: Buffer): void {
    const isWhole = pendingBytes === 0 && rest.length <= LINE_BYTES_MAX;
    if (!isWhole) hold(rest);
    if (isTooLong) skipped += 1;
    else onLine(decode(isWhole ? rest : Buffer.concat(pending)));
    pending = [];
    pendingBytes = 0;
    isTooLong = false;
  }

  return {
    take: (bytes) => {
      let from = 0;
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
        end(bytes.subarray(from, at));
        from = at + 1;
      }
      hold(bytes.subarray(from));
    },
    finish: () => {
      if (pendingBytes > 0) end(Buffer.alloc(0));
    },
    skipped: () => skipped,
  };
}

function decode(line: Buffer): string {
  return line.toString('utf8', 0, line.at(-1) === RETURN ? line.length - 1 : line.length);
}
