import type { AgentEvent, Reader } from '../agent-event.ts';
import type { Moment } from '../reset-time.ts';
import { failure } from './failures.ts';
import { at, type Bag, bagOf, countAt, numberAt, parseBag, textAt } from './json.ts';
import { costOf, usage } from './tally.ts';
import { detailOf } from './tools.ts';

const DENIED = /rejected permission|permission denied|denied by/i;

/** opencode: `run --format json`. */
export function openOpencode(moment: Moment): Reader {
  let session: string | null = null;
  return {
    read(line) {
      const bag = parseBag(line);
      const told = textAt(bag, 'sessionID');
      const isNew = told !== null && session === null;
      session ??= told;
      const events = readEvent(bag, moment);
      return isNew ? [{ type: 'started', session, model: null, billing: null }, ...events] : events;
    },
  };
}

function readEvent(bag: Bag | null, moment: Moment): readonly AgentEvent[] {
  const part = bagOf(at(bag, 'part'));
  switch (textAt(bag, 'type')) {
    case 'text': {
      const text = textAt(part, 'text') ?? '';
      return text === '' ? [] : [{ type: 'said', text, isPart: false }];
    }
    case 'tool_use':
      return readTool(part);
    case 'step_finish':
      return [readUsage(part), ...readReason(textAt(part, 'reason'), moment)];
    case 'error': {
      const error = bagOf(at(bag, 'error'));
      const message = textAt(error, 'data', 'message') ?? textAt(error, 'message') ?? textAt(error, 'name') ?? 'error';
      return failure(moment, message, { status: numberAt(error, 'data', 'statusCode') });
    }
    default:
      return [];
  }
}

/** It tells a call only when it is over. */
function readTool(part: Bag | null): readonly AgentEvent[] {
  const name = textAt(part, 'tool') ?? 'tool';
  const detail = detailOf(at(part, 'state', 'input'));
  const begun: AgentEvent = { type: 'tool', name, detail, state: 'begun' };
  if (textAt(part, 'state', 'status') !== 'error') return [begun, { ...begun, state: 'ended' }];
  const isDenied = DENIED.test(textAt(part, 'state', 'error') ?? '');
  return [begun, { ...begun, state: isDenied ? 'denied' : 'failed' }];
}

function readUsage(part: Bag | null): AgentEvent {
  const tokens = at(part, 'tokens');
  const cached = countAt(tokens, 'cache', 'read');
  const input = countAt(tokens, 'input') + cached + countAt(tokens, 'cache', 'write');
  const output = Math.max(countAt(tokens, 'output'), countAt(tokens, 'total') - input);
  return usage({
    tokens: { scope: 'add', input, cached, output },
    cost: costOf(numberAt(part, 'cost'), 'add'),
    turns: 1,
  });
}

/** A step that ends with calls of tools is followed by another: that is no end. */
function readReason(reason: string | null, moment: Moment): readonly AgentEvent[] {
  switch (reason) {
    case null:
    case 'tool-calls':
      return [];
    case 'length':
      return failure(moment, 'stopped at the most tokens an answer may have', { kind: 'context' });
    case 'error':
    case 'content-filter':
      return failure(moment, `stopped: ${reason}`, { kind: 'other' });
    default:
      return [{ type: 'finished', text: null, structured: null, turns: null }];
  }
}
