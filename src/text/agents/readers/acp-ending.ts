import type { AgentEvent } from '../agent-event.ts';
import { classifyMessage } from '../classify.ts';
import type { Moment } from '../reset-time.ts';
import { failure } from './failures.ts';
import { type Bag, numberAt, textAt } from './json.ts';

/** JSON-RPC's code for "log in first", as the protocol gives it. */
const AUTH_REQUIRED = -32_000;

/** The end of a turn. */
export function readStop(reason: string, message: string | null, moment: Moment): readonly AgentEvent[] {
  switch (reason) {
    case 'end_turn':
      return [{ type: 'finished', text: null, turns: null }];
    case 'max_tokens':
      return failure(moment, 'stopped at the most tokens an answer may have', { kind: 'context' });
    case 'max_turn_requests':
      return failure(moment, 'stopped at the most requests a turn may have', { kind: 'turns' });
    case 'refusal':
      return failure(moment, 'the model refused to go on', { kind: 'other' });
    case 'cancelled':
      return failure(moment, 'cancelled', { kind: 'other' });
    default:
      return failure(moment, message ?? `stopped: ${reason}`);
  }
}

/** A request of ours was answered with an error. The exact words are in different places with each agent. */
export function readRefusal(error: Bag, moment: Moment): readonly AgentEvent[] {
  const code = numberAt(error, 'code') ?? 0;
  const details = textAt(error, 'data', 'details') ?? textAt(error, 'data', 'message') ?? textAt(error, 'data');
  const message = details ?? (textAt(error, 'message') ?? 'request refused').replace(/^Internal error: /, '');
  if (code === AUTH_REQUIRED) return failure(moment, message, { kind: 'auth' });
  const kind = classifyMessage(message, code >= 400 && code < 600 ? code : null);
  // A word made for machines says less than the sentence beside it: a limit is told as `rate_limit` too.
  const named = kind === 'other' ? classifyMessage(textAt(error, 'data', 'errorKind') ?? '') : kind;
  return failure(moment, message, { kind: named });
}
