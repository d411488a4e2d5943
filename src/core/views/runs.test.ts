import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RED, spent, task, tellTale } from '../../../test/sim/tale.ts';
import type { Facts } from '../fold/fold.ts';
import { fold } from '../fold/fold.ts';
import { hostId } from '../model/ids.ts';
import { EMPTY_STATE } from '../model/model.ts';
import { describeForecast, forecastView } from './forecast.ts';
import { runsView, withRecord } from './runs.ts';
import { timelineView } from './timeline.ts';

function night() {
  const records: Facts[] = [];
  const tale = tellTale((record) => records.push(record));
  tale.join('h1', { slots: 3 });
  tale.read(task('a'), task('b'), task('c'), task('d'), task('e'));
  return { records, tale };
}

describe('runsView', () => {
  it('counts what landed, what was put aside, and the gate runs that one train saved', () => {
    const { records, tale } = night();
    const [a, b, c] = [tale.ready('a'), tale.ready('b'), tale.ready('c')];
    tale.startLanding();
    tale.build([
      [a, 'A'],
      [b, 'B'],
      [c, 'C'],
    ]);
    tale.test('C-tree');
    tale.advance('C');
    tale.iterate(tale.begin('d'), 'timed-out');
    tale.write({ type: 'host-left', host: hostId('h1') });
    const [run, ...more] = runsView(records);
    expect(more).toEqual([]);
    expect(run?.landed.map(({ task: id }) => id)).toEqual(['a', 'b', 'c']);
    expect(run).toMatchObject({ n: 1, iterations: 4, gate_runs: 1, red_gate_runs: 0, gate_runs_saved: 2 });
    expect(run?.parked).toMatchObject([{ task: 'd', reason: 'runtime' }]);
    expect(run?.limits).toMatchObject([{ of: 'loop' }]);
    expect(run?.ended).toBe(records.at(-1)?.at);
  });

  it('saves nothing where loops are tested one by one', () => {
    const { records, tale } = night();
    for (const id of ['a', 'b']) {
      const loop = tale.ready(id);
      tale.startLanding();
      tale.build([[loop, id]]);
      tale.test(`${id}-tree`);
      tale.advance(id);
    }
    expect(runsView(records)).toMatchObject([{ gate_runs: 2, gate_runs_saved: 0 }]);
  });

  it('begins another run with the next host, and what one cost is its own', () => {
    const { records, tale } = night();
    const usage = spent(0.5, 10);
    tale.iterate(tale.begin('a'), 'worked', 't', 1000, { usage });
    tale.write({ type: 'host-left', host: hostId('h1') });
    tale.join('h2');
    const runs = runsView(records);
    expect(runs.map(({ n, cost_usd: cost }) => ({ n, cost }))).toEqual([
      { n: 1, cost: 0.5 },
      { n: 2, cost: null },
    ]);
    expect(runs[1]?.ended).toBeNull();
  });

  it('says the same step by step', () => {
    const { records, tale } = night();
    tale.gate(tale.begin('a'), RED);
    tale.ready('b');
    let [state, runs] = [EMPTY_STATE, runsView([])];
    for (const record of records) {
      const after = fold(state, record);
      runs = withRecord(runs, state, record, after);
      state = after;
    }
    expect(runs).toEqual(runsView(records));
  });
});

describe('timelineView', () => {
  it('tells who did what when, and how it ended', () => {
    const { records, tale } = night();
    const a = tale.ready('a');
    tale.startLanding();
    tale.build([[a, 'A']]);
    tale.test('A-tree');
    tale.advance('A');
    tale.begin('b');
    const to = (records.at(-1)?.at ?? 0) + 5000;
    const { rows } = timelineView(records, { from: 0, to });
    expect(rows.map(({ task: id, end }) => [id, end?.how ?? null])).toEqual([
      ['a', 'landed'],
      ['b', null],
    ]);
    expect(rows[0]?.spans.map(({ kind }) => kind)).toEqual(['work', 'gates', 'queue', 'train']);
    expect(rows[1]?.spans.at(-1)).toMatchObject({ kind: 'work', to });
  });

  it('has spans in order, without gaps backwards, inside the time that was asked for', () => {
    const { records, tale } = night();
    const a = tale.ready('a');
    tale.sendBack(a);
    tale.iterate(tale.begin('b'), 'failed');
    fc.assert(
      fc.property(fc.nat(20_000), fc.nat(20_000), (x, y) => {
        const [from, to] = [Math.min(x, y), Math.max(x, y)];
        for (const { spans } of timelineView(records, { from, to }).rows) {
          let last = from;
          for (const span of spans) {
            expect(span.from).toBeGreaterThanOrEqual(last);
            expect(span.to).toBeGreaterThan(span.from);
            last = span.to;
          }
          expect(last).toBeLessThanOrEqual(to);
        }
      }),
    );
  });
});

describe('forecastView', () => {
  it('says nothing before there is any history', () => {
    const { tale } = night();
    const view = forecastView(tale.state(), 'PRD.md', 0);
    expect(view).toMatchObject({ left_ms: null, cost_left_usd: null, tasks_left: 5 });
    expect(describeForecast(view)).toBe('? left');
  });

  it('is a range that is no shorter for fewer slots', () => {
    const { tale } = night();
    for (const [id, ms] of [
      ['a', 60_000],
      ['b', 300_000],
    ] as const) {
      const loop = tale.begin(id);
      tale.iterate(loop, 'claimed', `t-${id}`, ms);
      tale.gate(loop, { verdict: 'green', failing: null, tail: '' });
    }
    const at = (slots: number) => forecastView(tale.state(), 'PRD.md', 0, slots).left_ms;
    const [one, many] = [at(1), at(5)];
    expect(one?.low).toBeLessThanOrEqual(one?.high ?? 0);
    expect(many?.high).toBeLessThanOrEqual(one?.high ?? 0);
    expect(one?.high).toBeGreaterThan(0);
  });

  it('is empty when nothing is left', () => {
    expect(describeForecast({ left_ms: null, cost_left_usd: null, tasks_left: 0 })).toBe('');
    expect(describeForecast({ left_ms: { low: 2_100_000, high: 3_000_000 }, cost_left_usd: null, tasks_left: 3 })).toBe(
      '35-50m left',
    );
  });
});
