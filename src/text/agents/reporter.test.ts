import { describe, expect, it } from 'vitest';
import { createReporter, textReport } from './reporter.ts';
import type { AgentPrice } from '../../core/model/settings.ts';
import type { AgentEvent, Protocol } from './agent-event.ts';
import type { Report } from './report.ts';

function report(events: readonly AgentEvent[], protocol: Protocol = 'claude', price: AgentPrice | null = null): Report {
  const reporter = createReporter({ protocol, price });
  reporter.take(events);
  return reporter.report();
}

const said = (text: string, isPart = false): AgentEvent => ({ type: 'said', text, isPart });
const finished = (text: string | null = null): AgentEvent => ({
  type: 'finished',
  text,
  turns: null,
});
const FAILED: AgentEvent = { type: 'failed', kind: 'auth', message: 'no' };
const started = (billing: 'key' | 'subscription' | null): AgentEvent => ({
  type: 'started',
  session: 's',
  model: 'm',
  billing,
});
const used = (scope: 'add' | 'total', usd: number | null = null): AgentEvent => ({
  type: 'usage',
  tokens: { scope, input: 1000, cached: 200, output: 50 },
  cost: usd === null ? null : { scope, usd },
  turns: 1,
});

describe('createReporter', () => {
  it('keeps the last thing said, parts joined', () => {
    expect(report([said('a'), said('b', true), said('c'), said('d', true)]).finalText).toBe('cd');
    expect(report([said('a'), finished()]).finalText).toBe('a');
    expect(report([said('a'), finished('b')]).finalText).toBe('b');
    expect(report([finished('b'), said('c')]).finalText).toBe('c');
  });

  it('keeps only the end of an answer without end', () => {
    const events = [
      said('begin'),
      ...Array.from({ length: 40 }, () => said('x'.repeat(10_000), true)),
      said('END', true),
    ];
    const { finalText } = report(events);
    expect(finalText).toHaveLength(64 * 1024);
    expect(finalText.endsWith('xEND')).toBe(true);
  });

  it('lets the last word win', () => {
    expect(report([finished(), FAILED]).failure).toEqual({ kind: 'auth', message: 'no' });
    expect(report([FAILED, finished()])).toMatchObject({ failure: null, isTerminal: true });
  });

  it('says whether an end was told', () => {
    expect(report([]).isTerminal).toBe(false);
    expect(report([said('a')]).isTerminal).toBe(false);
    expect(report([], 'text').isTerminal).toBeNull();
    expect(report([], 'jsonl').isTerminal).toBeNull();
    expect(report([said('a')], 'jsonl').isTerminal).toBe(false);
  });

  it('adds what is added and replaces what is a total', () => {
    expect(report([used('add', 1), used('add', 2)]).usage).toMatchObject({
      inputTokens: 2000,
      outputTokens: 100,
      costUsd: 3,
    });
    expect(report([used('add', 1), used('total', 2)]).usage).toMatchObject({
      inputTokens: 1000,
      cachedTokens: 200,
      costUsd: 2,
    });
    expect(report([used('total', 2), used('add', 1)]).usage).toMatchObject({ inputTokens: 2000, costUsd: 3 });
  });

  it('counts answers, and believes the ending where there was none to count', () => {
    expect(report([used('add'), { ...finished(), turns: 9 } as AgentEvent]).usage.turns).toBe(1);
    expect(report([{ ...finished(), turns: 9 } as AgentEvent]).usage.turns).toBe(9);
    const reporter = createReporter({ protocol: 'claude', price: null });
    reporter.take([used('add')]);
    expect(reporter.turns()).toBe(1);
  });

  it.each([
    ['key', 'billed'],
    ['subscription', 'estimated'],
    [null, 'billed'],
  ] as const)('with %s a told cost is %s', (billing, costKind) => {
    expect(report([started(billing), used('total', 2)]).usage).toMatchObject({ costUsd: 2, costKind });
  });

  it('estimates from prices what is not told', () => {
    const price = { input: 3, cached: 0.3, output: 15 };
    const { usage } = report([used('total')], 'codex', price);
    expect(usage.costUsd).toBeCloseTo((800 * 3 + 200 * 0.3 + 50 * 15) / 1e6, 12);
    expect(usage.costKind).toBe('estimated');
    expect(report([used('total')], 'codex').usage).toMatchObject({ costUsd: null, costKind: null });
    expect(report([started(null)], 'codex', price).usage.costUsd).toBeNull();
    expect(report([used('total', 2)], 'codex', price).usage).toMatchObject({ costUsd: 2, costKind: 'billed' });
  });

  it('keeps the time of a limit that later words do not know', () => {
    const limit = (status: 'reached' | 'warning', resetsAtMs: number | null): AgentEvent => ({
      type: 'limit',
      status,
      resetsAtMs,
      detail: 'd',
    });
    expect(report([limit('reached', 5), limit('reached', null)]).limit).toMatchObject({ resetsAtMs: 5 });
    expect(report([limit('warning', 5), limit('reached', null)]).limit).toMatchObject({
      status: 'reached',
      resetsAtMs: null,
    });
    expect(report([limit('reached', 5), finished()]).limit).toMatchObject({ status: 'warning', resetsAtMs: 5 });
  });

  it('counts tools that were not allowed', () => {
    const tool = (state: 'begun' | 'denied' | 'failed'): AgentEvent => ({ type: 'tool', name: 'n', detail: '', state });
    expect(report([tool('begun'), tool('denied'), tool('failed'), tool('denied')]).denials).toBe(2);
  });

  it('keeps names and messages short and clean: they go into the log', () => {
    const evil = `bad\u001b[31m\u0007\n${'x'.repeat(100_000)}`;
    const { failure, limit, usage } = report([
      { type: 'started', session: 's', model: evil, billing: null },
      { type: 'limit', status: 'reached', resetsAtMs: null, detail: evil },
      { type: 'failed', kind: 'auth', message: evil },
    ]);
    for (const text of [usage.model, limit?.detail, failure?.message]) {
      expect(text?.startsWith('bad x')).toBe(true);
      expect(text?.length).toBeLessThanOrEqual(500);
    }
  });

  it('keeps figures whole, finite and not below zero, whatever is told', () => {
    const tokens = { scope: 'add', input: 1e308, cached: 1.5, output: -7 } as const;
    const told: AgentEvent = { type: 'usage', tokens, cost: { scope: 'add', usd: 1e308 }, turns: -2 };
    const { usage } = report([told, told, { ...finished(), turns: -4 } as AgentEvent]);
    expect(usage).toMatchObject({ inputTokens: 1e12, cachedTokens: 4, outputTokens: 0, costUsd: 1e9, turns: 0 });
  });
});

describe('textReport', () => {
  it('knows nothing but the end of the text', () =>
    expect(textReport('tail')).toMatchObject({ finalText: 'tail', isTerminal: null, failure: null, denials: 0 }));
});
