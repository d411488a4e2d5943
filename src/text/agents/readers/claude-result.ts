import type { FailureKind } from '../../../core/model/failure.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { Moment } from '../reset-time.ts';
import { failure } from './failures.ts';
import { at, type Bag, bagOf, countAt, listAt, numberAt, textAt, textsIn } from './json.ts';
import { costOf, isNothing, type Tally, type Tokens, usage } from './tally.ts';
import type { ToolBook } from './tools.ts';

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
export interface Memory {
  readonly moment: Moment;
  readonly tools: ToolBook;
  readonly tally: Tally;
  /** The messages seen last: one message comes in several lines, each with the whole usage. */
  readonly seen: Set<string>;
  /** A limit event told when it is over: more exact than the words of the result. */
  limitIsTold: boolean;
}

export function tokensIn(bag: Bag | null): Tokens {
  const cached = countAt(bag, 'cache_read_input_tokens');
  const beside = cached + countAt(bag, 'cache_creation_input_tokens');
  return { input: countAt(bag, 'input_tokens') + beside, cached, output: countAt(bag, 'output_tokens') };
}

/** Claude's word that a run is over; there may be several. */
export function readResult(bag: Bag, memory: Memory): readonly AgentEvent[] {
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
