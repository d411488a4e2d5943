import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type AgentEvent, type Protocol, PROTOCOLS } from './agent-event.ts';
import { openReader } from './open-reader.ts';
import { renderEvent } from './render.ts';
import { createReporter } from './reporter.ts';

const MOMENT = { nowMs: Date.UTC(2026, 10, 15, 20), utcOffsetMin: 0 };
const FOLDER = new URL('../../../test/fixtures/agents/', import.meta.url);

function read(protocol: Protocol, ...lines: readonly unknown[]): readonly AgentEvent[] {
  const reader = openReader(protocol, MOMENT);
  return lines.flatMap((line) => reader.read(typeof line === 'string' ? line : JSON.stringify(line)));
}

const words = (events: readonly AgentEvent[]): readonly string[] => events.map((event) => event.type);
const RESULT = { is_error: false, subtype: 'success', result: 'ok', type: 'result', num_turns: 1 };
const claudeSays = (text: string, more: object = {}): object => ({
  type: 'assistant',
  message: { id: text, model: 'm', content: [{ type: 'text', text }] },
  ...more,
});

describe('claude', () => {
  it('tells who pays', () => {
    const billing = (apiKeySource: string): unknown =>
      read('claude', { type: 'system', subtype: 'init', apiKeySource })[0];
    expect(billing('ANTHROPIC_API_KEY')).toMatchObject({ billing: 'key' });
    expect(billing('none')).toMatchObject({ billing: 'subscription' });
    expect(billing('oauth')).toMatchObject({ billing: 'subscription' });
  });

  it('falls back to what was said when the result is empty', () => {
    const reporter = createReporter({ protocol: 'claude', price: null });
    reporter.take(read('claude', claudeSays('the answer'), { ...RESULT, result: '' }));
    expect(reporter.report().finalText).toBe('the answer');
  });

  it('does not take the words of a subagent for its own', () =>
    expect(read('claude', claudeSays('sub', { parent_tool_use_id: 'toolu_1' }))).toEqual([]));

  it('reads a limit from the words where no event told it', () =>
    expect(
      read('claude', {
        ...RESULT,
        is_error: true,
        api_error_status: 429,
        result: 'Claude AI usage limit reached|1794779607',
      }),
    ).toEqual([
      {
        type: 'limit',
        status: 'reached',
        resetsAtMs: 1_794_779_607_000,
        detail: 'Claude AI usage limit reached|1794779607',
      },
      { type: 'failed', kind: 'limit', message: 'Claude AI usage limit reached|1794779607' },
    ]));

  it('warns only while overage pays', () =>
    expect(
      read('claude', { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', isUsingOverage: true } }),
    ).toMatchObject([{ status: 'warning', resetsAtMs: null }]));

  it('counts a denial once, however often it is told', () => {
    const id = 'toolu_1';
    const events = read(
      'claude',
      {
        type: 'assistant',
        message: { content: [{ type: 'tool_use', id, name: 'Write', input: { file_path: '/a' } }] },
      },
      { type: 'system', subtype: 'permission_denied', tool_use_id: id },
      { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, is_error: true }] } },
      { ...RESULT, permission_denials: [{ tool_use_id: id }] },
    );
    expect(events.flatMap((event) => (event.type === 'tool' ? [event.state] : []))).toEqual(['begun', 'denied']);
  });
});

describe('other clients', () => {
  it('codex app-server: a thread of a subagent does not end the run', () => {
    const turn = (threadId: string): object => ({
      method: 'turn/completed',
      params: { threadId, turn: { status: 'completed' } },
    });
    const start = { id: 1, result: { thread: { id: 'main' } } };
    expect(words(read('codex-app-server', start, turn('sub')))).toEqual(['started']);
    expect(words(read('codex-app-server', start, turn('main')))).toEqual(['started', 'finished']);
  });

  it('codex app-server: warns of a limit once', () => {
    const limits = (usedPercent: number): object => ({
      method: 'account/rateLimits/updated',
      params: { rateLimits: { primary: { usedPercent, windowDurationMins: 300, resetsAt: 1_794_779_607 } } },
    });
    expect(read('codex-app-server', limits(50), limits(92), limits(93))).toEqual([
      { type: 'limit', status: 'warning', resetsAtMs: 1_794_779_607_000, detail: "92% of 300 minutes' window" },
    ]);
  });

  it('acp: a limit told as a rate', () => {
    const message = "Internal error: You've hit your session limit · resets 9:53pm (UTC)";
    const events = read('acp', {
      jsonrpc: '2.0',
      id: 3,
      error: { code: -32603, message, data: { errorKind: 'rate_limit' } },
    });
    expect(events).toMatchObject([
      { type: 'limit', status: 'reached', resetsAtMs: Date.UTC(2026, 10, 15, 21, 53) },
      { type: 'failed', kind: 'limit' },
    ]);
  });

  it.each([
    [{ code: -32603, message: 'Internal error', data: { errorKind: 'rate_limit' } }, 'rate'],
    [{ code: -32000, message: 'Authentication required' }, 'auth'],
    [{ code: 503, message: 'nope' }, 'overloaded'],
    [{ code: -32601, message: 'Method not found' }, 'other'],
  ])('acp: %j is %s', (error, kind) =>
    expect(read('acp', { jsonrpc: '2.0', id: 3, error })).toMatchObject([{ type: 'failed', kind }]),
  );

  it.each([
    ['end_turn', ['usage', 'finished']],
    ['max_turn_requests', ['usage', 'failed']],
    ['refusal', ['usage', 'failed']],
    ['cancelled', ['usage', 'failed']],
  ])('acp: %s', (stopReason, wanted) =>
    expect(words(read('acp', { jsonrpc: '2.0', id: 3, result: { stopReason } }))).toEqual(wanted),
  );

  it('acp: a request of the agent is no answer to ours', () =>
    expect(
      read('acp', {
        jsonrpc: '2.0',
        id: 2,
        method: 'session/request_permission',
        params: {},
        result: { stopReason: 'end_turn' },
      }),
    ).toEqual([]));

  it('text: no events', () => expect(read('text', RESULT, 'words')).toEqual([]));
});

describe('any reader', () => {
  const lines = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(new URL(name, FOLDER), 'utf8').split('\n'));

  /** Reads everything and shows it: what a reader lets through must not break what comes after it. */
  function survives(given: readonly string[]): void {
    for (const protocol of PROTOCOLS) {
      const reader = openReader(protocol, MOMENT);
      const reporter = createReporter({ protocol, price: { input: 1, cached: 1, output: 1 } });
      for (const line of given) {
        const events = reader.read(line);
        reporter.take(events);
        events.forEach(renderEvent);
      }
      const { usage } = reporter.report();
      expect(usage.inputTokens >= 0 && usage.outputTokens >= 0 && (usage.costUsd ?? 0) >= 0).toBe(true);
    }
  }

  it('survives lines that were cut, in any order', () => {
    const cut = fc.constantFrom(...lines).chain((line) => fc.nat(line.length).map((end) => line.slice(0, end)));
    const whole = fc.constantFrom(...lines);
    fc.assert(fc.property(fc.array(fc.oneof(cut, whole), { maxLength: 30 }), survives), { numRuns: 60 });
  });

  it('survives known lines with strange values in them', () => {
    const strange = fc.constantFrom(...lines.filter((line) => line.startsWith('{'))).chain((line) =>
      fc.tuple(fc.nat(200), fc.jsonValue()).map(([which, value]) => {
        let n = 0;
        return JSON.stringify(JSON.parse(line), (_key, inside: unknown) => (n++ === which ? value : inside));
      }),
    );
    fc.assert(fc.property(fc.array(strange, { maxLength: 10 }), survives), { numRuns: 60 });
  });

  it('survives random JSON, words and what lies deep', () => {
    const types = fc.constantFrom(
      'system',
      'assistant',
      'user',
      'result',
      'error',
      'message',
      'message_end',
      'constructor',
    );
    const typed = fc
      .tuple(types, fc.dictionary(fc.string(), fc.jsonValue()))
      .map(([type, more]) => JSON.stringify({ ...more, type }));
    fc.assert(fc.property(fc.array(fc.oneof(fc.json(), fc.string(), typed), { maxLength: 20 }), survives), {
      numRuns: 50,
    });
    const deep = `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`;
    survives([
      deep,
      `{"type":"tool_use","tool_id":"1","tool_name":"t","parameters":${deep}}`,
      `\uFFFD{"type":"result"}`,
      'x'.repeat(1e5),
    ]);
  });

  it('does not mind the order of keys, white space and types it does not know', () => {
    const shuffled = Object.fromEntries(Object.entries(RESULT).reverse());
    expect(read('claude', 'Warning: a word', { type: 'brand_new' }, `  ${JSON.stringify(shuffled)}\r`)).toEqual(
      read('claude', RESULT),
    );
  });
});
