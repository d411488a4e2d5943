import type { FailureKind } from '../../../core/model/failure.ts';
import type { AgentEvent } from '../agent-event.ts';
import { classifyMessage } from './classify.ts';
import { type Moment, readResetTime } from './reset-time.ts';
import { bagOf, textAt } from './json.ts';
import { oneLine } from './tools.ts';

const MESSAGE_CHARS_MAX = 500;

/** A failure, and the limit it tells of if it does. */
export function failure(
  moment: Moment,
  message: string,
  { kind, status = null }: { readonly kind?: FailureKind; readonly status?: number | null } = {},
): readonly AgentEvent[] {
  const plain = plainMessage(message);
  const sure = kind ?? classifyMessage(message, status);
  const failed: AgentEvent = { type: 'failed', kind: sure, message: plain };
  if (sure !== 'limit') return [failed];
  const resetsAtMs = readResetTime(message, moment);
  return [{ type: 'limit', status: 'reached', resetsAtMs, detail: plain }, failed];
}

/** Services answer with JSON, and clients pass it on as it is: the sentence inside is what a person wants to read. */
export function plainMessage(message: string): string {
  return oneLine(innerMessage(message) ?? message, MESSAGE_CHARS_MAX);
}

function innerMessage(message: string): string | null {
  const from = message.indexOf('{');
  const to = message.lastIndexOf('}');
  if (from < 0 || to < from) return null;
  try {
    const inner = bagOf(JSON.parse(message.slice(from, to + 1)));
    return textAt(inner, 'error', 'message') ?? textAt(inner, 'message');
  } catch {
    return null;
  }
}
