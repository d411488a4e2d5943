import type { AgentEvent, Reader } from '../agent-event.ts';
import type { Moment } from './reset-time.ts';
import { readItem } from './codex-items.ts';
import { failure, plainMessage } from './failures.ts';
import { at, bagOf, countAt, parseBag, textAt } from './json.ts';
import { usage } from './tally.ts';
import { createToolBook } from './tools.ts';

const RETRYING = /^reconnecting|^retrying/i;

/** Codex: `codex exec --json`. */
export function openCodex(moment: Moment): Reader {
  const tools = createToolBook();
  let lastError = '';
  const fail = (message: string): readonly AgentEvent[] => {
    // The ending repeats the error before it.
    if (message === lastError) return [];
    lastError = message;
    return failure(moment, message);
  };
  return {
    read(line) {
      const bag = parseBag(line);
      switch (textAt(bag, 'type')) {
        case 'thread.started':
          return [{ type: 'started', session: textAt(bag, 'thread_id'), model: null, billing: null }];
        case 'item.started':
          return readItem(bagOf(at(bag, 'item')), true, tools);
        case 'item.completed':
          return readItem(bagOf(at(bag, 'item')), false, tools);
        case 'error': {
          const message = textAt(bag, 'message') ?? '';
          if (RETRYING.test(message)) return [{ type: 'throttled', why: plainMessage(message), retryMs: null }];
          return fail(message);
        }
        case 'turn.failed':
          return fail(textAt(bag, 'error', 'message') ?? 'turn failed');
        case 'turn.completed': {
          lastError = '';
          const told = at(bag, 'usage');
          // Over the whole thread, not this turn: right for us, since every process begins a thread of its own.
          const tokens = {
            scope: 'total',
            input: countAt(told, 'input_tokens'),
            cached: countAt(told, 'cached_input_tokens'),
            output: countAt(told, 'output_tokens'),
          } as const;
          return [usage({ tokens, turns: 1 }), { type: 'finished', text: null, turns: null }];
        }
        default:
          return [];
      }
    },
  };
}
