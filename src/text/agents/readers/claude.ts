import type { AgentEvent, Reader } from '../agent-event.ts';
import { fromUnixTime } from './reset-time.ts';
import type { Moment } from './reset-time.ts';
import { at, bagOf, listAt, numberAt, parseBag, textAt, countAt, textsIn } from './json.ts';
import type { Bag } from './json.ts';
import { createTally, isNothing, usage, costOf } from './tally.ts';
import { createToolBook, detailOf } from './tools.ts';
import { failure } from './failures.ts';
import type { FailureKind } from '../../../core/model/failure.ts';
import type { Tally, Tokens } from './tally.ts';
import type { ToolBook } from './tools.ts';

const SEEN_MAX = 200;
const CLIENT_ITSELF = '<synthetic>';

/** A subscription shows as `none` or as a source named after OAuth; a key shows as the variable or file it came from. */
const SUBSCRIPTION = /^none$|oauth|login/i;

/** Claude Code: `--output-format stream-json`, alone or held by its control protocol. */
export function openClaude(moment: Moment): Reader {
  const memory: Memory = {
    moment,
    tools: createToolBook(),
    tally: createTally(),
    seen: new Set(),
    limitIsTold: false,
  };
  return {
    read(line) {
      const bag = parseBag(line);
      if (bag === null) return [];
      switch (textAt(bag, 'type')) {
        case 'system':
          return readSystem(bag, memory);
        case 'assistant':
          return readAssistant(bag, memory);
        case 'user':
          return readToolResults(bag, memory);
        case 'rate_limit_event':
          return readLimit(bag, memory);
        case 'result':
          return readResult(bag, memory);
        default:
          return [];
      }
    },
  };
}

function readSystem(bag: Bag, memory: Memory): readonly AgentEvent[] {
  switch (textAt(bag, 'subtype')) {
    case 'init': {
      const billing = billingOf(bag);
      return [{ type: 'started', session: textAt(bag, 'session_id'), model: textAt(bag, 'model'), billing }];
    }
    case 'api_retry': {
      const words = [textAt(bag, 'error'), numberAt(bag, 'error_status')].filter((word) => word !== null);
      return [{ type: 'throttled', why: words.join(' '), retryMs: numberAt(bag, 'retry_delay_ms') }];
    }
    case 'permission_denied':
      return memory.tools.end(textAt(bag, 'tool_use_id') ?? '', 'denied');
    default:
      return [];
  }
}

function billingOf(init: Bag): 'key' | 'subscription' | null {
  const source = textAt(init, 'apiKeySource');
  if (source === null || source === '') return null;
  return SUBSCRIPTION.test(source) ? 'subscription' : 'key';
}

function readAssistant(bag: Bag, memory: Memory): readonly AgentEvent[] {
  const message = bagOf(at(bag, 'message'));
  // What the client says in the model's place comes again in the result, with its status.
  if (textAt(message, 'model') === CLIENT_ITSELF) return [];
  const isSubagent = textAt(bag, 'parent_tool_use_id') !== null;
  const events = listAt(message, 'content').flatMap((block): readonly AgentEvent[] => {
    const kind = textAt(block, 'type');
    if (kind === 'tool_use')
      return memory.tools.begin(
        textAt(block, 'id') ?? '',
        textAt(block, 'name') ?? 'tool',
        detailOf(at(block, 'input')),
      );
    const text = kind === 'text' ? (textAt(block, 'text') ?? '') : '';
    const isSaid = text !== '' && !isSubagent;
    return isSaid ? [{ type: 'said', text, isPart: false }] : [];
  });
  return [...events, ...countAnswer(message, memory)];
}

function countAnswer(message: Bag | null, memory: Memory): readonly AgentEvent[] {
  const id = textAt(message, 'id') ?? '';
  const tokens = tokensIn(bagOf(at(message, 'usage')));
  if (isNothing(tokens) || memory.seen.has(id)) return [];
  if (memory.seen.size >= SEEN_MAX) memory.seen.clear();
  memory.seen.add(id);
  memory.tally.add(tokens);
  return [usage({ tokens: { scope: 'add', ...tokens }, turns: 1 })];
}

function readToolResults(bag: Bag, memory: Memory): readonly AgentEvent[] {
  const rejected = new Set(
    listAt(bag, 'tool_result_meta')
      .filter((meta) => textAt(meta, 'permission_decision', 'decision') === 'reject')
      .map((meta) => textAt(meta, 'id')),
  );
  return listAt(bag, 'message', 'content').flatMap((block) => {
    if (textAt(block, 'type') !== 'tool_result') return [];
    const id = textAt(block, 'tool_use_id') ?? '';
    const state = at(block, 'is_error') === true ? 'failed' : 'ended';
    return memory.tools.end(id, rejected.has(id) ? 'denied' : state);
  });
}

function readLimit(bag: Bag, memory: Memory): readonly AgentEvent[] {
  const info = bagOf(at(bag, 'rate_limit_info'));
  const status = textAt(info, 'status');
  if (status !== 'rejected' && status !== 'allowed_warning') return [];
  const resetsAtMs = fromUnixTime(numberAt(info, 'resetsAt'));
  const window = textAt(info, 'rateLimitType') ?? 'usage';
  const share = numberAt(info, 'utilization');
  // With overage the work goes on, for money.
  const isOver = status === 'rejected' && at(info, 'isUsingOverage') !== true;
  if (isOver && resetsAtMs !== null) memory.limitIsTold = true;
  return [
    {
      type: 'limit',
      status: isOver ? 'reached' : 'warning',
      resetsAtMs,
      detail: share === null ? window : `${window} ${Math.round(share * 100)}%`,
    },
  ];
}

const FAILED_SUBTYPES: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  ['error_max_turns', 'turns'],
  ['error_max_budget_usd', 'budget'],
]);
const FAILED_REASONS: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  ['prompt_too_long', 'context'],
  ['max_turns', 'turns'],
  ['budget_exhausted', 'budget'],
]);

/** What the reader of Claude's stream remembers between lines. */
interface Memory {
  readonly moment: Moment;
  readonly tools: ToolBook;
  readonly tally: Tally;
  /** The messages seen last: one message comes in several lines, each with the whole usage. */
  readonly seen: Set<string>;
  /** A limit event told when it is over: more exact than the words of the result. */
  limitIsTold: boolean;
}

function tokensIn(bag: Bag | null): Tokens {
  const cached = countAt(bag, 'cache_read_input_tokens');
  const beside = cached + countAt(bag, 'cache_creation_input_tokens');
  return { input: countAt(bag, 'input_tokens') + beside, cached, output: countAt(bag, 'output_tokens') };
}

/** Claude's word that a run is over; there may be several. */
function readResult(bag: Bag, memory: Memory): readonly AgentEvent[] {
  const denied = listAt(bag, 'permission_denials').flatMap((one) => {
    const id = textAt(one, 'tool_use_id') ?? '';
    return memory.tools.end(id, 'denied');
  });
  return [...denied, ...readResultUsage(bag, memory), ...readEnding(bag, memory)];
}

/** The sums by model count the whole process, subagents too; the plain ones only this result. */
function readResultUsage(bag: Bag, memory: Memory): readonly AgentEvent[] {
  const cost = costOf(numberAt(bag, 'total_cost_usd'), 'total');
  const rest = memory.tally.settle(tokensIn(bagOf(at(bag, 'usage'))));
  const models = Object.values(bagOf(at(bag, 'modelUsage')) ?? {});
  const total = models.reduce<Tokens>(
    (sum, model) => {
      const cached = countAt(model, 'cacheReadInputTokens');
      return {
        input: sum.input + countAt(model, 'inputTokens') + cached + countAt(model, 'cacheCreationInputTokens'),
        cached: sum.cached + cached,
        output: sum.output + countAt(model, 'outputTokens'),
      };
    },
    { input: 0, cached: 0, output: 0 },
  );
  if (!isNothing(total)) return [usage({ tokens: { scope: 'total', ...total }, cost })];
  if (rest === null && cost === null) return [];
  return [usage({ tokens: rest === null ? null : { scope: 'add', ...rest }, cost })];
}

function readEnding(bag: Bag, memory: Memory): readonly AgentEvent[] {
  const text = textAt(bag, 'result') ?? '';
  const subtype = textAt(bag, 'subtype') ?? '';
  const isError = at(bag, 'is_error') === true || subtype.startsWith('error');
  if (!isError) {
    const said = text === '' ? null : text;
    return [{ type: 'finished', text: said, turns: numberAt(bag, 'num_turns') }];
  }
  const kind = FAILED_SUBTYPES.get(subtype) ?? FAILED_REASONS.get(textAt(bag, 'terminal_reason') ?? '');
  // What is meant for its makers says nothing to a person.
  const errors = listAt(bag, 'errors').flatMap((error) =>
    typeof error === 'string' && !error.startsWith('[ede_') ? [error] : [],
  );
  const told = [text, textAt(bag, 'error', 'message') ?? '', ...errors, ...textsIn(at(bag, 'error'))];
  const message = told.find((one) => one !== '') ?? textAt(bag, 'terminal_reason') ?? subtype;
  const events = failure(memory.moment, message, {
    ...(kind === undefined ? {} : { kind }),
    status: numberAt(bag, 'api_error_status'),
  });
  return memory.limitIsTold ? events.filter((event) => event.type !== 'limit') : events;
}
