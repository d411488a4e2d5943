import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rebuild } from '../../../../test/fixtures/agents/kit-log.ts';
import type { AgentEvent, Protocol } from '../agent-event.ts';
import { openReader } from '../open-reader.ts';
import type { Report } from '../report.ts';
import { createReporter } from '../reporter.ts';
import { judge } from '../verdict.ts';

const FOLDER = new URL('../../../../test/fixtures/agents/', import.meta.url);
const MOMENT = { nowMs: Date.UTC(2026, 10, 15, 20), utcOffsetMin: 0 };

/** What one sample must come to: a line of `expected.ndjson`. */
interface Expected {
  readonly file: string;
  readonly protocol: Protocol;
  /** The exit code the client had. */
  readonly exit: number;
  readonly events: string;
  readonly outcome: string;
  readonly said: string;
  /** Input, cached, output. */
  readonly tokens: readonly number[];
  readonly cost: readonly [number, string] | null;
  readonly turns: number;
  readonly failure: string | null;
  readonly hold: readonly [string, number | null] | null;
  readonly denials: number;
  /** Lines the log of a tiny driver had cut: what was on them cannot be expected. */
  readonly cut?: number;
}

const ROWS = readFileSync(new URL('expected.ndjson', FOLDER), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Expected);
const BY_NAME = ROWS.map((row) => [row.file, row] as const);

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

describe('what a client printed', () => {
  it.each(BY_NAME)('%s', (_file, row) => {
    expect(summarize(row)).toEqual(row);
  });

  it.each(BY_NAME)('%s: known without being told whose it is', (_file, row) => {
    const { lines } = linesOf(row);
    expect(readAll('jsonl', lines).events).toEqual(readAll(row.protocol, lines).events);
  });
});

describe('the samples', () => {
  it('are all looked at', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));
    expect(files.sort()).toEqual(ROWS.map(({ file }) => `${file}.jsonl`).sort());
  });

  it('never have the prompt among what was said', () => {
    for (const row of ROWS) {
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
