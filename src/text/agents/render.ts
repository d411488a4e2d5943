import type { AgentEvent } from './agent-event.ts';
import { oneLine } from './readers/tools.ts';

const SECOND_MS = 1000;

/** One event as a person reads it; null: it says nothing by itself. Control characters are the caller's to clean. */
export function renderEvent(event: AgentEvent): string | null {
  switch (event.type) {
    case 'started':
      return event.model === null ? null : `started with ${oneLine(event.model)}`;
    case 'said':
      return event.text;
    case 'tool':
      return renderTool(event);
    case 'usage':
      return renderUsage(event);
    case 'throttled':
      return `waiting${forSeconds(event.retryMs)}: ${oneLine(event.why)}`;
    case 'limit':
      return `limit ${event.status === 'reached' ? 'reached' : 'near'}: ${oneLine(event.detail)}${until(event.resetsAtMs)}`;
    case 'finished':
      return 'finished';
    case 'failed':
      return `failed (${event.kind}): ${event.message}`;
  }
}

function renderTool({ name, detail, state }: Extract<AgentEvent, { type: 'tool' }>): string | null {
  const what = detail === '' ? name : `${name}: ${detail}`;
  switch (state) {
    case 'begun':
      return `> ${what}`;
    case 'ended':
      return null;
    case 'failed':
      return `x ${what}`;
    case 'denied':
      return `x ${what} (not allowed)`;
  }
}

/** Sums only: what each answer cost would drown what it said. */
function renderUsage({ tokens, cost }: Extract<AgentEvent, { type: 'usage' }>): string | null {
  if (cost === null && tokens?.scope !== 'total') return null;
  const words = [
    tokens === null ? '' : `${tokens.input} tokens in (${tokens.cached} cached), ${tokens.output} out`,
    cost === null ? '' : `$${cost.usd.toFixed(4)}`,
  ];
  return `used ${words.filter((word) => word !== '').join(', ')}`;
}

const forSeconds = (ms: number | null): string => (ms === null ? '' : ` ${Math.ceil(ms / SECOND_MS)} s`);

function until(ms: number | null): string {
  const at = new Date(ms ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? '' : `, resets ${at.toISOString()}`;
}
