import type { IterationOutcome } from '../../core/model/events.ts';
import type { Failure, FailureKind, HoldNotice } from '../../core/model/failure.ts';
import type { CompletionSignal } from '../../core/model/settings.ts';
import { shortLine } from '../screen/clean.ts';
import { classifyMessage } from './readers/classify.ts';
import { saysDone, saysLacking } from './completion.ts';
import type { IterationEnd, Report } from './report.ts';

export interface Facts {
  readonly end: IterationEnd;
  readonly report: Report;
  readonly signal: CompletionSignal;
  readonly promise: string;
}

export interface Judgement {
  readonly outcome: IterationOutcome;
  readonly failure: Failure | null;
  /** What the account allows from now on; null: nothing new. */
  readonly hold: HoldNotice | null;
  /** Tasks that must land before it can do anything, as it said at the end; absent: it named none. */
  readonly lacks?: readonly string[];
}

/** How many lines of plain text may tell why it failed: further up it speaks of the work. */
const TELLING_LINES = 5;
const MESSAGE_CHARS_MAX = 500;

/** Exit codes that speak. Gemini's beyond 128 are HTTP statuses modulo 256. */
const TELLING_CODES: ReadonlyMap<number, FailureKind> = new Map<number, FailureKind>([
  [41, 'auth'],
  [53, 'turns'],
  [55, 'permission'],
  [145, 'auth'],
  [147, 'auth'],
  [173, 'rate'],
  [244, 'overloaded'],
  [247, 'overloaded'],
]);

/** What one iteration came to: its ending, what the agent told and what it claimed, as one word. */
export function judge(facts: Facts): Judgement {
  const { end, report } = facts;
  switch (end.how) {
    case 'lost':
    case 'timed-out':
    case 'interrupted':
      return { outcome: end.how, failure: report.failure, hold: limitHold(report) };
    case 'stopped': {
      const outcome = end.why === 'turns' ? 'worked' : 'stalled';
      return { outcome, failure: { kind: end.why, message: end.detail }, hold: limitHold(report) };
    }
    case 'exited': {
      const failure = failureOf(end.code, report);
      return failure === null ? judgeSuccess(facts) : judgeFailure(failure, report);
    }
  }
}

/** The exit code is no verdict: clients end with 0 after errors. It only tells more where nothing else does. */
function failureOf(code: number, report: Report): Failure | null {
  const { failure, limit, isTerminal, denials } = report;
  const told = isTerminal === null ? undefined : TELLING_CODES.get(code);
  if (failure !== null) {
    // Status 429 stands for both; who was told before that a limit is reached knows which.
    if (failure.kind === 'rate' && limit?.status === 'reached') return { ...failure, kind: 'limit' };
    return failure.kind === 'other' && told !== undefined ? { ...failure, kind: told } : failure;
  }
  if (limit?.status === 'reached') return { kind: 'limit', message: limit.detail };
  if (told !== undefined) return { kind: told, message: `exit ${code}` };
  if (isTerminal === false) {
    if (denials > 0) return { kind: 'permission', message: deniedMessage(denials) };
    return { kind: 'unfinished', message: `exit ${code} without the word that ends a run` };
  }
  if (code === 0) return null;
  return (isTerminal === null ? failureInText(report.finalText) : null) ?? { kind: 'other', message: `exit ${code}` };
}

/** The last lines of a text, newest first: only they may tell why it failed. */
export const tellingLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-TELLING_LINES)
    .reverse();

/** What plain words tell of the account behind the agent. */
export function failureInText(text: string): Failure | null {
  for (const line of tellingLines(text)) {
    const kind = classifyMessage(line);
    if (kind === 'limit' || kind === 'auth' || kind === 'rate')
      return { kind, message: shortLine(line, MESSAGE_CHARS_MAX) };
  }
  return null;
}

function judgeFailure(failure: Failure, report: Report): Judgement {
  const warning = limitHold(report);
  switch (failure.kind) {
    case 'auth':
    case 'missing':
      return { outcome: 'refused', failure, hold: { kind: failure.kind, untilMs: null, detail: failure.message } };
    case 'limit': {
      const untilMs = report.limit?.resetsAtMs ?? null;
      return { outcome: 'limited', failure, hold: { kind: 'limit', untilMs, detail: failure.message } };
    }
    case 'rate':
    case 'overloaded':
      return { outcome: 'throttled', failure, hold: { kind: 'rate', untilMs: null, detail: failure.message } };
    case 'turns':
    case 'budget':
      return { outcome: 'worked', failure, hold: warning };
    case 'stalled':
    case 'flood':
      return { outcome: 'stalled', failure, hold: warning };
    case 'context':
    case 'model':
    case 'permission':
    case 'unfinished':
    case 'other':
      return { outcome: 'failed', failure, hold: warning };
  }
}

function judgeSuccess({ report, signal, promise }: Facts): Judgement {
  const hold = limitHold(report);
  if (saysDone(report.finalText, { signal, promise })) return { outcome: 'claimed', failure: null, hold };
  const lacks = saysLacking(report.finalText);
  if (report.denials === 0) return { outcome: 'worked', failure: null, hold, ...(lacks.length === 0 ? {} : { lacks }) };
  return { outcome: 'failed', failure: { kind: 'permission', message: deniedMessage(report.denials) }, hold };
}

const deniedMessage = (denials: number): string =>
  denials === 1 ? 'a tool was not allowed to run' : `${denials} tools were not allowed to run`;

function limitHold({ limit }: Report): HoldNotice | null {
  if (limit === null) return null;
  const kind = limit.status === 'reached' ? 'limit' : 'warning';
  return { kind, untilMs: limit.resetsAtMs, detail: limit.detail };
}
