import { describe, expect, it } from 'vitest';
import type { AgentEvent } from './agent-event.ts';
import { renderEvent } from './render.ts';

const tokens = { input: 1500, cached: 200, output: 50 };
const CASES: readonly (readonly [AgentEvent, string | null])[] = [
  [{ type: 'started', session: 's', model: 'm', billing: null }, 'started with m'],
  [{ type: 'started', session: 's', model: null, billing: null }, null],
  [{ type: 'said', text: 'two\nlines', isPart: false }, 'two\nlines'],
  [{ type: 'tool', name: 'Bash', detail: 'ls', state: 'begun' }, '> Bash: ls'],
  [{ type: 'tool', name: 'Bash', detail: '', state: 'begun' }, '> Bash'],
  [{ type: 'tool', name: 'Bash', detail: 'ls', state: 'ended' }, null],
  [{ type: 'tool', name: 'Bash', detail: 'ls', state: 'failed' }, 'x Bash: ls'],
  [{ type: 'tool', name: 'Bash', detail: 'ls', state: 'denied' }, 'x Bash: ls (not allowed)'],
  [
    { type: 'usage', tokens: { scope: 'total', ...tokens }, cost: { scope: 'total', usd: 0.0148 }, turns: 0 },
    'used 1500 tokens in (200 cached), 50 out, $0.0148',
  ],
  [{ type: 'usage', tokens: { scope: 'add', ...tokens }, cost: null, turns: 1 }, null],
  [{ type: 'throttled', why: 'overloaded 529', retryMs: 1229 }, 'waiting 2 s: overloaded 529'],
  [{ type: 'throttled', why: 'w', retryMs: null }, 'waiting: w'],
  [
    { type: 'limit', status: 'reached', resetsAtMs: 1_794_779_607_000, detail: 'five_hour' },
    'limit reached: five_hour, resets 2026-11-15T21:53:27.000Z',
  ],
  [{ type: 'limit', status: 'warning', resetsAtMs: 1e300, detail: '92%' }, 'limit near: 92%'],
  [{ type: 'finished', text: 't', turns: null }, 'finished'],
  [{ type: 'failed', kind: 'auth', message: 'no key' }, 'failed (auth): no key'],
];

describe('renderEvent', () => {
  it.each(CASES)('%j', (event, line) => expect(renderEvent(event)).toBe(line));
});
