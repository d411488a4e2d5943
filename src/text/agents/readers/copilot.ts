import type { AgentEvent, Reader } from '../agent-event.ts';
import type { FailureKind } from '../../../core/failure.ts';
import type { Moment } from '../reset-time.ts';
import { failure } from './failures.ts';
import { at, type Bag, bagOf, numberAt, parseBag, textAt } from './json.ts';
import { ANSWERED } from './tally.ts';
import { createToolBook, detailOf, type ToolBook } from './tools.ts';

/** Its own words for what went wrong; where it has none, the message speaks. */
const KINDS: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  ['authentication', 'auth'],
  ['quota', 'limit'],
  ['context_limit', 'context'],
]);

/** GitHub Copilot CLI: `--output-format json`. */
export function openCopilot(moment: Moment): Reader {
  const tools = createToolBook();
  let hasFailed = false;
  return {
    read(line) {
      const bag = parseBag(line);
      const type = textAt(bag, 'type');
      if (type === 'result') return readResult(bag, hasFailed, moment);
      if (type === 'session.error') {
        hasFailed = true;
        return readError(bagOf(at(bag, 'data')), moment);
      }
      return readData(type, bagOf(at(bag, 'data')), tools);
    },
  };
}

function readData(type: string | null, data: Bag | null, tools: ToolBook): readonly AgentEvent[] {
  const id = textAt(data, 'toolCallId') ?? '';
  switch (type) {
    case 'session.tools_updated':
      return [{ type: 'started', session: null, model: textAt(data, 'model'), billing: null }];
    case 'assistant.message': {
      const text = textAt(data, 'content') ?? '';
      return text === '' ? [ANSWERED] : [{ type: 'said', text, isPart: false }, ANSWERED];
    }
    case 'tool.execution_start':
      return tools.begin(id, textAt(data, 'toolName') ?? 'tool', detailOf(at(data, 'arguments')));
    case 'tool.execution_complete': {
      if (at(data, 'success') !== false) return tools.end(id, 'ended');
      const code = textAt(data, 'error', 'code');
      return tools.end(id, code === 'denied' || code === 'rejected' ? 'denied' : 'failed');
    }
    case 'assistant.turn_retry':
      return [{ type: 'throttled', why: textAt(data, 'reason') ?? 'retrying', retryMs: null }];
    default:
      return [];
  }
}

function readError(data: Bag | null, moment: Moment): readonly AgentEvent[] {
  const kind = KINDS.get(textAt(data, 'errorType') ?? '');
  return failure(moment, textAt(data, 'message') ?? 'error', {
    ...(kind === undefined ? {} : { kind }),
    status: numberAt(data, 'statusCode'),
  });
}

function readResult(bag: Bag | null, hasFailed: boolean, moment: Moment): readonly AgentEvent[] {
  const session = textAt(bag, 'sessionId');
  const told: AgentEvent = { type: 'started', session, model: null, billing: null };
  const code = numberAt(bag, 'exitCode') ?? 0;
  if (code === 0) return [told, { type: 'finished', text: null, structured: null, turns: null }];
  // Its ending knows nothing but a number: what was told before says more.
  return hasFailed ? [told] : [told, ...failure(moment, `exit ${code}`, { kind: 'other' })];
}
