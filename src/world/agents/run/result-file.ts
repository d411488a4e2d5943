import { randomBytes } from 'node:crypto';
import { linkSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { syncDirectory, writeDurably } from '../../os/durable-file.ts';
import { errnoOf } from '../../os/system-failure.ts';
import type { IterationResult } from '../../contract/world.ts';
import { readJsonFile, removeQuietly } from '../../os/files.ts';
import { lineThatMatters } from '../../../core/model/line-that-matters.ts';
import { classifyMessage } from '../../../text/agents/readers/classify.ts';
import { saysDone } from '../../../text/agents/completion.ts';
import { failureInText, tellingLines } from '../../../text/agents/verdict.ts';
import { cleanLine, shortLine } from '../../../text/screen/clean.ts';
import { readTail } from '../../os/tail.ts';
import type { Failure, FailureKind } from '../../../core/model/failure.ts';
import type { IterationEnd, Report } from '../../../text/agents/report.ts';
import type { AgentFile } from './agent-file.ts';
import type { Completion } from './listen.ts';

const NAME = 'result.json';

export interface Kept {
  readonly result: IterationResult;
  /** Whether a host that comes later can read it. */
  readonly isKept: boolean;
}

/** What could not be kept for want of disk, by run folder: as long as we live, the end that we saw is the one that counts. */
const unkept = new Map<string, IterationResult>();

/**
 * Kept, on the disk itself, before logs are trimmed: a host that dies right after leaves a log in which not everything can be
 * read again. Of two hosts that saw the end, the first one counts: the other may have read a log that was already trimmed.
 */
export async function keepResult(dir: string, result: IterationResult): Promise<Kept> {
  const file = join(dir, NAME);
  const draft = `${file}.${process.pid}.${randomBytes(6).toString('hex')}`;
  try {
    await writeDurably(draft, JSON.stringify(result));
    const first = link(draft, file) ? result : firstOne(dir, result, draft);
    await syncDirectory(dir);
    unkept.delete(dir);
    return { result: first, isKept: true };
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    unkept.set(dir, result);
    return { result, isKept: false };
  } finally {
    removeQuietly(draft);
  }
}

function link(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function firstOne(dir: string, result: IterationResult, draft: string): IterationResult {
  const first = resultIn(dir);
  if (first === null) renameSync(draft, join(dir, NAME));
  return first ?? result;
}

/** What became of the iteration, if somebody saw its end before us. */
export async function readResult(dir: string): Promise<Kept | null> {
  const first = resultIn(dir);
  if (first !== null) return { result: first, isKept: true };
  const seen = unkept.get(dir);
  return seen === undefined ? null : keepResult(dir, seen);
}

function resultIn(dir: string): IterationResult | null {
  const value = readJsonFile(join(dir, NAME)) as Partial<IterationResult> | null;
  const isWhole = typeof value?.end === 'object' && typeof value.report === 'object';
  return isWhole ? (value as IterationResult) : null;
}

const TAIL_BYTES = 4096;
const MESSAGE_CHARS_MAX = 300;
/** What is worth believing of a client that never began: that it may not, or may not yet. */
const TELLING: ReadonlySet<FailureKind> = new Set<FailureKind>(['auth', 'limit', 'rate', 'model']);

/** As shells say that a command is not there, or cannot be run. */
const NOT_STARTED = new Set([126, 127]);
/** The same exit code, but it is the prompt that cannot be handed over. */
const TOO_LONG = /argument list too long/i;

interface Ended {
  readonly dir: string;
  readonly end: IterationEnd;
  readonly agent: Pick<AgentFile, 'rateLimit'>;
  /** How it says that it is done; null: nothing it says ends it. */
  readonly completion: Completion | null;
}

/** A client that dies without a word of its protocol has mostly said why elsewhere: the last line of its errors is the reason. */
export function withComplaint(ended: Ended, report: Report): Report {
  const { dir, end } = ended;
  const { isTerminal, failure, limit, denials, usage } = report;
  const missing = whyMissing(dir, end, report);
  if (missing !== null) return { ...report, failure: { kind: 'missing', message: missing } };
  const told = toldInWords(ended, report);
  if (told !== null) return { ...report, failure: told };
  const isTold = isTerminal !== false || failure !== null || limit !== null || denials > 0;
  if (end.how !== 'exited' || end.code === 0 || isTold) return report;
  const line = lastComplaint(dir);
  if (line === '') return report;
  const kind = classifyMessage(line);
  const hasBegun = usage.turns > 0 || report.session !== null;
  const message = `exit ${end.code}: ${line}`;
  return { ...report, failure: { kind: !hasBegun && TELLING.has(kind) ? kind : 'unfinished', message } };
}

/** What the user's own pattern finds; and of a program that speaks no protocol, what it complained about beside its output. */
function toldInWords({ dir, end, agent, completion }: Ended, report: Report): Failure | null {
  if (end.how !== 'exited' || report.failure !== null) return null;
  const { finalText, isTerminal } = report;
  const complaints = readTail(join(dir, 'stderr.log'), TAIL_BYTES);
  const isDone = completion !== null && saysDone(finalText, completion);
  if (agent.rateLimit !== null && !isDone) {
    const pattern = new RegExp(agent.rateLimit, 'iu');
    const line = [...tellingLines(finalText), ...tellingLines(complaints)].find((one) => pattern.test(one));
    if (line !== undefined) return { kind: 'rate', message: shortLine(line, MESSAGE_CHARS_MAX).trim() };
  }
  if (isTerminal !== null || end.code === 0 || failureInText(finalText) !== null) return null;
  const line = [complaints, finalText].map(lineThatMatters).find((one) => one !== '');
  const why: Failure | null =
    line === undefined ? null : { kind: 'other', message: `exit ${end.code}: ${cleanLine(line)}` };
  return failureInText(complaints) ?? why;
}

/** Not a word, and an exit code that says the program never ran: no other task would fare better with it. */
function whyMissing(dir: string, end: IterationEnd, { failure, finalText, session, usage }: Report): string | null {
  const hasBegun = failure !== null || finalText !== '' || session !== null || usage.turns > 0;
  if (end.how !== 'exited' || !NOT_STARTED.has(end.code) || hasBegun) return null;
  const line = lastComplaint(dir);
  return TOO_LONG.test(line) ? null : `exit ${end.code}${line === '' ? '' : `: ${line}`}`;
}

function lastComplaint(dir: string): string {
  const lines = readTail(join(dir, 'stderr.log'), TAIL_BYTES).split('\n');
  return lines
    .map((line) => shortLine(line, MESSAGE_CHARS_MAX).trim())
    .filter((line) => line !== '')
    .slice(-1)
    .join('');
}
