import type { AgentEvent, Reader } from '../agent-event.ts';
import { kindOfStatus } from './classify.ts';
import { fromUnixTime, type Moment } from './reset-time.ts';
import { readItem } from './codex-items.ts';
import { failure, plainMessage } from './failures.ts';
import { at, type Bag, bagOf, countAt, numberAt, parseBag, textAt } from './json.ts';
import { usage } from './tally.ts';
import { createToolBook, type ToolBook } from './tools.ts';

interface Memory {
  readonly moment: Moment;
  readonly tools: ToolBook;
  /** The thread we began; others are those of its subagents. */
  thread: string | null;
  lastError: string;
  limitTold: string;
}

/** Share of a window from which on a limit counts as near. */
const NEAR_PERCENT = 90;

/** Codex: JSON-RPC lines of `codex app-server`. */
export function openCodexAppServer(moment: Moment): Reader {
  const memory: Memory = { moment, tools: createToolBook(), thread: null, lastError: '', limitTold: '' };
  return {
    read(line) {
      const bag = parseBag(line);
      if (bag === null) return [];
      const method = textAt(bag, 'method');
      if (method !== null) return readNotice(method, bagOf(at(bag, 'params')), memory);
      const error = bagOf(at(bag, 'error'));
      if (error !== null) return fail(textAt(error, 'message') ?? 'request refused', null, memory);
      return begin(bagOf(at(bag, 'result')), memory);
    },
  };
}

/** The thread is told twice: in the answer to our request and as a notice, whichever comes first. */
function begin(told: Bag | null, memory: Memory): readonly AgentEvent[] {
  const session = textAt(told, 'thread', 'id');
  if (session === null || memory.thread !== null) return [];
  memory.thread = session;
  return [{ type: 'started', session, model: textAt(told, 'model'), billing: null }];
}

function readNotice(method: string, params: Bag | null, memory: Memory): readonly AgentEvent[] {
  if (method === 'thread/started') return begin(params, memory);
  if (method === 'account/rateLimits/updated') return readLimits(bagOf(at(params, 'rateLimits')), memory);
  const thread = textAt(params, 'threadId');
  if (thread !== null && memory.thread !== null && thread !== memory.thread) return [];
  switch (method) {
    case 'item/started':
    case 'item/completed':
      return readItem(bagOf(at(params, 'item')), method === 'item/started', memory.tools).filter(
        // Here each answer tells its tokens: they count the answers.
        (event) => event.type !== 'usage',
      );
    case 'thread/tokenUsage/updated': {
      const total = at(params, 'tokenUsage', 'total');
      const tokens = {
        scope: 'total',
        input: countAt(total, 'inputTokens'),
        cached: countAt(total, 'cachedInputTokens'),
        output: countAt(total, 'outputTokens'),
      } as const;
      return [usage({ tokens, turns: 1 })];
    }
    case 'error':
      return readError(params, memory);
    case 'turn/completed':
      return readTurn(bagOf(at(params, 'turn')), memory);
    default:
      return [];
  }
}

function readError(params: Bag | null, memory: Memory): readonly AgentEvent[] {
  const error = bagOf(at(params, 'error'));
  const message = textAt(error, 'message') ?? 'error';
  if (at(params, 'willRetry') !== true) return fail(message, at(error, 'codexErrorInfo'), memory);
  const why = textAt(error, 'additionalDetails') ?? message;
  return [{ type: 'throttled', why: plainMessage(why), retryMs: null }];
}

function readTurn(turn: Bag | null, memory: Memory): readonly AgentEvent[] {
  const status = textAt(turn, 'status');
  if (status === 'completed') return [{ type: 'finished', text: null, turns: null }];
  const error = bagOf(at(turn, 'error'));
  return fail(textAt(error, 'message') ?? `turn ${status ?? 'ended'}`, at(error, 'codexErrorInfo'), memory);
}

/** The end of a turn repeats the error before it. */
function fail(message: string, info: unknown, memory: Memory): readonly AgentEvent[] {
  if (message === memory.lastError) return [];
  memory.lastError = message;
  if (info === 'usageLimitExceeded') return failure(memory.moment, message, { kind: 'limit' });
  if (info === 'contextWindowExceeded') return failure(memory.moment, message, { kind: 'context' });
  const [cause] = Object.values(bagOf(info) ?? {});
  const status = numberAt(cause, 'httpStatusCode');
  const kind = status === null ? 'other' : kindOfStatus(status);
  return failure(memory.moment, message, kind === 'other' ? {} : { status });
}

function readLimits(limits: Bag | null, memory: Memory): readonly AgentEvent[] {
  const windows = ['primary', 'secondary'].flatMap((name) => {
    const percent = numberAt(limits, name, 'usedPercent');
    return percent === null
      ? []
      : [
          {
            percent,
            resetsAt: numberAt(limits, name, 'resetsAt'),
            minutes: numberAt(limits, name, 'windowDurationMins'),
          },
        ];
  });
  const fullest = windows.sort((a, b) => b.percent - a.percent)[0];
  const isReached = textAt(limits, 'rateLimitReachedType') !== null || (fullest?.percent ?? 0) >= 100;
  if (!isReached && (fullest === undefined || fullest.percent < NEAR_PERCENT)) return [];
  const detail = `${fullest?.percent ?? 100}% of ${fullest?.minutes ?? '?'} minutes' window`;
  const resetsAtMs = fromUnixTime(fullest?.resetsAt ?? null);
  // It is told again with every answer.
  const told = `${isReached} ${resetsAtMs}`;
  if (told === memory.limitTold) return [];
  memory.limitTold = told;
  return [{ type: 'limit', status: isReached ? 'reached' : 'warning', resetsAtMs, detail }];
}
