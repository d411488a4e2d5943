import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Expected, KIT, RECORDED } from '../../../../test/fixtures/agents/expected.ts';
import { rebuild } from '../../../../test/fixtures/agents/kit-log.ts';
import type { AgentEvent } from '../agent-event.ts';
import { openReader } from '../open-reader.ts';
import type { Report } from '../report.ts';
import { createReporter } from '../reporter.ts';
import { judge } from '../verdict.ts';

const FOLDER = new URL('../../../../test/fixtures/agents/', import.meta.url);
const MOMENT = { nowMs: Date.UTC(2026, 10, 15, 20), utcOffsetMin: 0 };

function linesOf({ file, cut }: Expected): { readonly lines: readonly string[]; readonly cut: number | undefined } {
  const text = readFileSync(new URL(`${file}.jsonl`, FOLDER), 'utf8');
  if (cut === undefined) return { lines: text.split('\n'), cut };
  const rebuilt = rebuild(text);
  return { lines: rebuilt.lines, cut: rebuilt.cut.length };
}

function wordOf(event: AgentEvent): string {
  if (event.type === 'tool') return `tool:${event.state}`;
  return event.type === 'said' && event.isPart ? 'said+' : event.type;
}

function readAll(protocol: Expected['protocol'], lines: readonly string[]): { events: AgentEvent[]; report: Report } {
  const reader = openReader(protocol, MOMENT);
  const reporter = createReporter({ protocol, price: null });
  const events = lines.flatMap((line) => reader.read(line));
  reporter.take(events);
  return { events, report: reporter.report() };
}

function summarize(wanted: Expected): Expected {
  const { lines, cut } = linesOf(wanted);
  const { events, report } = readAll(wanted.protocol, lines);
  const end = { how: 'exited', code: wanted.exit } as const;
  const judged = judge({ end, report, signal: 'promise', promise: 'COMPLETE' });
  const { usage } = report;
  return {
    file: wanted.file,
    protocol: wanted.protocol,
    exit: wanted.exit,
    events: events.map(wordOf).join(' '),
    outcome: judged.outcome,
    said: report.finalText,
    tokens: [usage.inputTokens, usage.cachedTokens, usage.outputTokens],
    cost: usage.costUsd === null || usage.costKind === null ? null : [Number(usage.costUsd.toFixed(6)), usage.costKind],
    turns: usage.turns,
    failure: judged.failure?.kind ?? null,
    hold: judged.hold === null ? null : [judged.hold.kind, judged.hold.untilMs],
    denials: report.denials,
    ...(cut === undefined ? {} : { cut }),
  };
}

describe.each([
  ['samples', KIT],
  ['recorded streams', RECORDED],
])('%s', (_, rows) => {
  it.each(rows.map((row) => [row.file, row] as const))('%s', (_file, row) => {
    expect(summarize(row)).toEqual(row);
  });

  it.each(rows.map((row) => [row.file, row] as const))('%s: known without being told whose it is', (_file, row) => {
    const { lines } = linesOf(row);
    expect(readAll('jsonl', lines).events).toEqual(readAll(row.protocol, lines).events);
  });
});

describe('the samples', () => {
  it('are all looked at', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));
    expect(files.sort()).toEqual([...KIT, ...RECORDED].map(({ file }) => `${file}.jsonl`).sort());
  });

  it('never have the prompt among what was said', () => {
    for (const row of [...KIT, ...RECORDED]) {
      const said = readAll(row.protocol, linesOf(row).lines).events.filter((event) => event.type === 'said');
      expect(said.filter((event) => /create hello|when done|please do it/.test(event.text))).toEqual([]);
    }
  });

  it('say which lines of a log were cut', () => {
    const { cut } = rebuild(readFileSync(new URL('cx-as2.jsonl', FOLDER), 'utf8'));
    expect(cut).toContain('turn/completed');
    expect(cut).not.toContain('thread/status/changed');
  });
});
