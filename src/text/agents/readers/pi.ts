import type { AgentEvent, Reader } from '../agent-event.ts';
import type { Moment } from './reset-time.ts';
import { failure, plainMessage } from './failures.ts';
import { at, type Bag, bagOf, countAt, numberAt, parseBag, textAt, textsIn } from './json.ts';
import { costOf, isNothing, usage } from './tally.ts';
import { createToolBook, detailOf } from './tools.ts';

/** pi: `--mode json`. */
export function openPi(moment: Moment): Reader {
  const tools = createToolBook();
  let isBroken = false;
  let model: string | null = null;
  return {
    read(line) {
      const bag = parseBag(line);
      const id = textAt(bag, 'toolCallId') ?? '';
      switch (textAt(bag, 'type')) {
        case 'session':
          return [{ type: 'started', session: textAt(bag, 'id'), model: null, billing: null }];
        case 'message_end': {
          const message = bagOf(at(bag, 'message'));
          // The prompt and the results of tools are messages as well.
          if (textAt(message, 'role') !== 'assistant') return [];
          isBroken = ['error', 'aborted'].includes(textAt(message, 'stopReason') ?? '');
          const isSame = model === textAt(message, 'model');
          model = textAt(message, 'model');
          const started: AgentEvent = { type: 'started', session: null, model, billing: null };
          return [...(isSame ? [] : [started]), ...readMessage(message, isBroken, moment)];
        }
        case 'tool_execution_start':
          return tools.begin(id, textAt(bag, 'toolName') ?? 'tool', detailOf(at(bag, 'args')));
        case 'tool_execution_end':
          return tools.end(id, at(bag, 'isError') === true ? 'failed' : 'ended');
        case 'auto_retry_start':
          return [
            {
              type: 'throttled',
              why: plainMessage(textAt(bag, 'errorMessage') ?? ''),
              retryMs: numberAt(bag, 'delayMs'),
            },
          ];
        case 'agent_end':
          // It ends after every try, also a vain one.
          return isBroken ? [] : [{ type: 'finished', text: null, turns: null }];
        default:
          return [];
      }
    },
  };
}

function readMessage(message: Bag | null, isBroken: boolean, moment: Moment): readonly AgentEvent[] {
  const text = textsIn(at(message, 'content')).join('');
  const told = at(message, 'usage');
  const cached = countAt(told, 'cacheRead');
  const tokens = {
    input: countAt(told, 'input') + cached + countAt(told, 'cacheWrite'),
    cached,
    output: countAt(told, 'output'),
  };
  return [
    ...(text === '' ? [] : [{ type: 'said', text, isPart: false } as const]),
    ...(isNothing(tokens)
      ? []
      : [
          usage({
            tokens: { scope: 'add', ...tokens },
            cost: costOf(numberAt(told, 'cost', 'total'), 'add'),
            turns: 1,
          }),
        ]),
    ...(isBroken ? failure(moment, textAt(message, 'errorMessage') ?? 'aborted') : []),
  ];
}
