import type { FailureKind } from '../../../core/failure.ts';
import type { AgentEvent, Reader } from '../agent-event.ts';
import type { Moment } from '../reset-time.ts';
import { failure } from './failures.ts';
import { at, type Bag, bagOf, countAt, listAt, numberAt, parseBag, textAt } from './json.ts';
import { costOf, isNothing, usage } from './tally.ts';
import { createToolBook, detailOf, type ToolBook } from './tools.ts';

/** Cline: `--json`. */
export function openCline(moment: Moment): Reader {
  const tools = createToolBook();
  return {
    read(line) {
      const bag = parseBag(line);
      switch (textAt(bag, 'type')) {
        case 'hook_event':
          if (textAt(bag, 'hookEventName') !== 'agent_start') return [];
          return [{ type: 'started', session: textAt(bag, 'taskId'), model: null, billing: null }];
        case 'agent_event':
          return readEvent(bagOf(at(bag, 'event')), tools);
        case 'run_result':
          return readResult(bag, moment);
        default:
          return [];
      }
    },
  };
}

function readEvent(event: Bag | null, tools: ToolBook): readonly AgentEvent[] {
  const type = textAt(event, 'type');
  if (type === 'usage') return readUsage(event, 'total', 'Input', 1);
  const isTool = textAt(event, 'contentType') === 'tool';
  const id = textAt(event, 'toolCallId') ?? '';
  if (isTool && type === 'content_start')
    return tools.begin(id, textAt(event, 'toolName') ?? 'tool', detailOf(at(event, 'input')));
  if (isTool && type === 'content_end') return tools.end(id, hasWorked(event) ? 'ended' : 'failed');
  const text = textAt(event, 'contentType') === 'text' && type === 'content_end' ? (textAt(event, 'text') ?? '') : '';
  return text === '' ? [] : [{ type: 'said', text, isPart: false }];
}

function hasWorked(event: Bag | null): boolean {
  const outputs = [at(event, 'output'), ...listAt(event, 'output')];
  return textAt(event, 'error') === null && outputs.every((output) => at(output, 'success') !== false);
}

/** Its sums are named `totalInputTokens` in one place and `inputTokens` in the other. */
function readUsage(told: unknown, prefix: string, input: string, turns: number): readonly AgentEvent[] {
  const tokens = {
    input: countAt(told, `${prefix}${input}Tokens`),
    cached: countAt(told, prefix === '' ? 'cacheReadTokens' : `${prefix}CacheReadTokens`),
    output: countAt(told, prefix === '' ? 'outputTokens' : `${prefix}OutputTokens`),
  };
  if (isNothing(tokens)) return [];
  return [usage({ tokens: { scope: 'total', ...tokens }, cost: costOf(numberAt(told, 'totalCost'), 'total'), turns })];
}

function readResult(bag: Bag | null, moment: Moment): readonly AgentEvent[] {
  const model = textAt(bag, 'model', 'id');
  const text = textAt(bag, 'text') ?? '';
  const reason = textAt(bag, 'finishReason') ?? 'unknown';
  const told: readonly AgentEvent[] = [
    ...(model === null ? [] : [{ type: 'started', session: null, model, billing: null } as const]),
    ...readUsage(at(bag, 'usage'), '', 'input', 0),
  ];
  const turns = numberAt(bag, 'iterations');
  if (reason === 'completed')
    return [...told, { type: 'finished', text: text === '' ? null : text, structured: null, turns }];
  const kind: { readonly kind?: FailureKind } = /iteration|turn/.test(reason) ? { kind: 'turns' } : {};
  const message = textAt(bag, 'error', 'message') ?? textAt(bag, 'error') ?? (text === '' ? `ended: ${reason}` : text);
  return [...told, ...failure(moment, message, kind)];
}
