import type { AgentEvent, Reader } from '../agent-event.ts';
import type { Moment } from './reset-time.ts';
import { plainMessage, failure } from './failures.ts';
import { at, bagOf, countAt, numberAt, parseBag, textAt, textsIn } from './json.ts';
import type { Bag } from './json.ts';
import { ANSWERED, costOf, createTally, isNothing, usage } from './tally.ts';
import type { Tally, Tokens } from './tally.ts';
import { createToolBook, detailOf, oneLine } from './tools.ts';
import { classifyMessage } from './classify.ts';
import type { ToolBook } from './tools.ts';

interface Memory {
  readonly moment: Moment;
  readonly tools: ToolBook;
  readonly tally: Tally;
  /** The message that is being said: its id, where the agent tells one; null: the next chunk begins a message. */
  message: { readonly id: string | null } | null;
  /** Copilot speaks in the model's place: notes, and errors after which it ends in good order. */
  isCopilot: boolean;
  /** The last thing it said so, if that was an error. */
  errorText: string | null;
}

const NOTE = /^Info: /;
const ERROR_NOTE = /^Error: /;
/** Only where a person or a rule said no: a command that may not open a file has merely failed. */
const DENIED =
  /^(?:rejected|denied|declined)$|(?:user|client|policy|rule) (?:has )?(?:rejected|denied|declined)|rejected (?:by|permission)/i;

/** The Agent Client Protocol: JSON-RPC lines as the agent prints them. */
export function openAcp(moment: Moment): Reader {
  const memory: Memory = {
    moment,
    tools: createToolBook(),
    tally: createTally(),
    message: null,
    isCopilot: false,
    errorText: null,
  };
  return {
    read(line) {
      const bag = parseBag(line);
      if (bag === null) return [];
      const method = textAt(bag, 'method');
      // Requests of the agent carry ids of its own, which may equal ours: only the method tells them apart.
      if (method !== null)
        return method === 'session/update' ? readUpdate(bagOf(at(bag, 'params', 'update')), memory) : [];
      memory.message = null;
      const error = bagOf(at(bag, 'error'));
      return error === null ? readAnswer(bagOf(at(bag, 'result')), memory) : readRefusal(error, moment);
    },
  };
}

function readAnswer(result: Bag | null, memory: Memory): readonly AgentEvent[] {
  const stopReason = textAt(result, 'stopReason');
  if (stopReason === null) return readBeginning(result, memory);
  const sum = tokensIn(result);
  const rest = memory.tally.settle(sum);
  const { errorText } = memory;
  memory.errorText = null;
  if (errorText !== null && isNothing(sum)) return readStop('error', errorText, memory.moment);
  const answers = stopReason === 'end_turn' ? 1 : 0;
  return [
    usage({ tokens: rest === null ? null : { scope: 'add', ...rest }, turns: answers }),
    ...readStop(stopReason, null, memory.moment),
  ];
}

function readBeginning(result: Bag | null, memory: Memory): readonly AgentEvent[] {
  if (textAt(result, 'agentInfo', 'name') === 'Copilot') memory.isCopilot = true;
  const session = textAt(result, 'sessionId');
  const model = textAt(result, 'models', 'currentModelId');
  return session === null ? [] : [{ type: 'started', session, model, billing: null }];
}

/** Some count the cache into the input and some do not: the total knows. */
function tokensIn(result: unknown): Tokens {
  const told = at(result, 'usage');
  const quota = at(result, '_meta', 'quota', 'token_count');
  if (bagOf(told) === null)
    return { input: countAt(quota, 'input_tokens'), cached: 0, output: countAt(quota, 'output_tokens') };
  const output = countAt(told, 'outputTokens');
  const input = countAt(told, 'inputTokens');
  const cached = countAt(told, 'cachedReadTokens');
  return { input: Math.max(input, countAt(told, 'totalTokens') - output), cached, output };
}

function readUpdate(update: Bag | null, memory: Memory): readonly AgentEvent[] {
  const kind = textAt(update, 'sessionUpdate');
  switch (kind) {
    case 'agent_message_chunk':
      return [...readChunk(update, memory), ...readChunkUsage(update, memory)];
    case 'tool_call':
    case 'tool_call_update':
      memory.message = null;
      return readTool(update, memory);
    case 'agent_thought_chunk':
    case 'plan':
      memory.message = null;
      return [];
    case 'usage_update': {
      const cost = costOf(numberAt(update, 'cost', 'amount'), 'total');
      return cost === null ? [] : [usage({ cost })];
    }
    default:
      return [];
  }
}

function readChunk(update: Bag | null, memory: Memory): readonly AgentEvent[] {
  const text = textsIn([at(update, 'content')]).join('');
  if (text === '') return [];
  if (memory.isCopilot && NOTE.test(text)) {
    memory.message = null;
    return /retrying/i.test(text) ? [{ type: 'throttled', why: plainMessage(text.slice(6)), retryMs: null }] : [];
  }
  const id = textAt(update, 'messageId');
  const isPart = memory.message !== null && memory.message.id === id;
  memory.message = { id };
  memory.errorText = memory.isCopilot && ERROR_NOTE.test(text) ? text.slice(7) : null;
  return memory.errorText === null ? [{ type: 'said', text, isPart }] : [];
}

/** Qwen tells the tokens of each answer beside an empty chunk. */
function readChunkUsage(update: Bag | null, memory: Memory): readonly AgentEvent[] {
  const tokens = tokensIn(bagOf(at(update, '_meta')));
  if (isNothing(tokens)) return [];
  memory.tally.add(tokens);
  return [usage({ tokens: { scope: 'add', ...tokens } })];
}

function readTool(update: Bag | null, memory: Memory): readonly AgentEvent[] {
  const id = textAt(update, 'toolCallId') ?? '';
  const title = oneLine(textAt(update, 'title') ?? '');
  const input = at(update, 'rawInput');
  const detail = bagOf(input) === null || Object.keys(bagOf(input) ?? {}).length === 0 ? title : detailOf(input);
  if (textAt(update, 'sessionUpdate') === 'tool_call') {
    const name = textAt(update, '_meta', 'claudeCode', 'toolName') ?? textAt(update, 'kind') ?? 'tool';
    // Few agents tell their tokens before the end: a tool call is an answer of the model.
    const begun = memory.tools.begin(id, name, detail);
    return begun.length === 0 ? [] : [...begun, ANSWERED];
  }
  memory.tools.refine(id, detail);
  switch (textAt(update, 'status')) {
    case 'completed':
      return memory.tools.end(id, 'ended');
    case 'failed': {
      const why = [
        textAt(update, 'rawOutput', 'code'),
        textAt(update, 'rawOutput', 'message'),
        textAt(update, 'rawOutput'),
      ];
      return memory.tools.end(id, why.some((word) => word !== null && DENIED.test(word)) ? 'denied' : 'failed');
    }
    default:
      return [];
  }
}

/** JSON-RPC's code for "log in first", as the protocol gives it. */
const AUTH_REQUIRED = -32_000;

/** The end of a turn. */
function readStop(reason: string, message: string | null, moment: Moment): readonly AgentEvent[] {
  switch (reason) {
    case 'end_turn':
      return [{ type: 'finished', text: null, turns: null }];
    case 'max_tokens':
      return failure(moment, 'stopped at the most tokens an answer may have', { kind: 'context' });
    case 'max_turn_requests':
      return failure(moment, 'stopped at the most requests a turn may have', { kind: 'turns' });
    case 'refusal':
      return failure(moment, 'the model refused to continue', { kind: 'other' });
    case 'cancelled':
      return failure(moment, 'cancelled', { kind: 'other' });
    default:
      return failure(moment, message ?? `stopped: ${reason}`);
  }
}

/** A request of ours was answered with an error. The exact words are in different places with each agent. */
function readRefusal(error: Bag, moment: Moment): readonly AgentEvent[] {
  const code = numberAt(error, 'code') ?? 0;
  const details = textAt(error, 'data', 'details') ?? textAt(error, 'data', 'message') ?? textAt(error, 'data');
  const message = details ?? (textAt(error, 'message') ?? 'request refused').replace(/^Internal error: /, '');
  if (code === AUTH_REQUIRED) return failure(moment, message, { kind: 'auth' });
  const kind = classifyMessage(message, code >= 400 && code < 600 ? code : null);
  // A word made for machines says less than the sentence beside it: a limit is told as `rate_limit` too.
  const named = kind === 'other' ? classifyMessage(textAt(error, 'data', 'errorKind') ?? '') : kind;
  return failure(moment, message, { kind: named });
}
