import type { AgentEvent, Reader } from '../agent-event.ts';
import type { Moment } from '../reset-time.ts';
import { failure } from './failures.ts';
import { at, type Bag, bagOf, countAt, parseBag, textAt } from './json.ts';
import { ANSWERED, isNothing, usage } from './tally.ts';
import { createToolBook, detailOf, type ToolBook } from './tools.ts';

const DENIED = /policy_violation|denied by policy|user (?:denied|rejected|cancelled|did not allow)|not allowed by/i;

/** Gemini CLI: `--output-format stream-json`. */
export function openGemini(moment: Moment): Reader {
  const tools = createToolBook();
  let isSpeaking = false;
  return {
    read(line) {
      const bag = parseBag(line);
      const type = textAt(bag, 'type');
      const wasSpeaking = isSpeaking;
      if (type !== null) isSpeaking = false;
      switch (type) {
        case 'init':
          return [{ type: 'started', session: textAt(bag, 'session_id'), model: textAt(bag, 'model'), billing: null }];
        case 'message': {
          // It repeats the prompt as a message of the user.
          const text = textAt(bag, 'role') === 'assistant' ? (textAt(bag, 'content') ?? '') : '';
          if (text === '') return [];
          isSpeaking = true;
          return [{ type: 'said', text, isPart: wasSpeaking && at(bag, 'delta') === true }];
        }
        case 'tool_use':
          return [
            ...tools.begin(
              textAt(bag, 'tool_id') ?? '',
              textAt(bag, 'tool_name') ?? 'tool',
              detailOf(at(bag, 'parameters')),
            ),
            ANSWERED,
          ];
        case 'tool_result':
          return readToolResult(bag, tools);
        case 'result':
          return readResult(bag, moment);
        default:
          return [];
      }
    },
  };
}

function readToolResult(bag: Bag | null, tools: ToolBook): readonly AgentEvent[] {
  const id = textAt(bag, 'tool_id') ?? '';
  if (textAt(bag, 'status') !== 'error') return tools.end(id, 'ended');
  const why = `${textAt(bag, 'error', 'type') ?? ''} ${textAt(bag, 'error', 'message') ?? ''}`;
  return tools.end(id, DENIED.test(why) ? 'denied' : 'failed');
}

function readResult(bag: Bag | null, moment: Moment): readonly AgentEvent[] {
  const stats = bagOf(at(bag, 'stats'));
  const tokens = {
    input: countAt(stats, 'input_tokens'),
    cached: countAt(stats, 'cached'),
    output: countAt(stats, 'output_tokens'),
  };
  const used = isNothing(tokens) ? [] : [usage({ tokens: { scope: 'total', ...tokens }, turns: 1 })];
  if (textAt(bag, 'status') === 'success')
    return [...used, { type: 'finished', text: null, structured: null, turns: null }];
  return [...used, ...failure(moment, textAt(bag, 'error', 'message') ?? 'ended with an error')];
}
