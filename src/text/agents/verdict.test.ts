import { describe, expect, it } from 'vitest';
import type { IterationOutcome } from '../../core/model/events.ts';
import type { FailureKind, HoldKind } from '../../core/model/failure.ts';
import type { IterationEnd, Report } from './report.ts';
import { textReport } from './reporter.ts';
import { judge, type Judgement } from './verdict.ts';

const TAG = '<promise>COMPLETE</promise>';
const told = (changes: Partial<Report>): Report => ({ ...textReport(''), isTerminal: true, ...changes });
const exited = (code: number): IterationEnd => ({ how: 'exited', code });
const failing = (kind: FailureKind): Report => told({ failure: { kind, message: 'm' } });
const verdict = (end: IterationEnd, report: Report): Judgement =>
  judge({ end, report, signal: 'promise', promise: 'COMPLETE' });

describe('judge', () => {
  it.each(['lost', 'timed-out', 'interrupted'] as const)('%s stays what it is', (how) =>
    expect(verdict({ how }, told({ finalText: TAG })).outcome).toBe(how),
  );

  it.each([
    ['stalled', 'stalled'],
    ['flood', 'stalled'],
    ['turns', 'worked'],
  ] as const)('stopped for %s: %s', (why, outcome) =>
    expect(verdict({ how: 'stopped', why, detail: 'd' }, told({}))).toEqual({
      outcome,
      failure: { kind: why, message: 'd' },
      hold: null,
    }),
  );

  const kinds: readonly (readonly [FailureKind, IterationOutcome, HoldKind | null])[] = [
    ['auth', 'refused', 'auth'],
    ['missing', 'refused', 'missing'],
    ['limit', 'limited', 'limit'],
    ['rate', 'throttled', 'rate'],
    ['overloaded', 'throttled', 'rate'],
    ['turns', 'worked', null],
    ['budget', 'worked', null],
    ['context', 'failed', null],
    ['model', 'failed', null],
    ['other', 'failed', null],
  ];
  it.each(kinds)('failure %s: %s, hold %s, whatever the exit code', (kind, outcome, hold) => {
    for (const code of [0, 1]) {
      const judged = verdict(exited(code), failing(kind));
      expect([judged.outcome, judged.failure?.kind, judged.hold?.kind ?? null]).toEqual([outcome, kind, hold]);
    }
  });

  it('holds until the limit is over', () => {
    const limit = { status: 'reached', resetsAtMs: 7, detail: 'd' } as const;
    const hold = { kind: 'limit', untilMs: 7, detail: 'd' };
    expect(verdict(exited(1), told({ limit }))).toMatchObject({ outcome: 'limited', hold, failure: { kind: 'limit' } });
    expect(verdict({ how: 'timed-out' }, told({ limit }))).toMatchObject({ outcome: 'timed-out', hold });
  });

  it('warns beside any outcome', () => {
    const limit = { status: 'warning', resetsAtMs: 7, detail: 'd' } as const;
    const hold = { kind: 'warning', untilMs: 7, detail: 'd' };
    for (const report of [told({ limit, finalText: TAG }), { ...failing('context'), limit }])
      expect(verdict(exited(0), report).hold).toEqual(hold);
  });

  it('wants the word that ends a run', () => {
    expect(verdict(exited(0), told({ isTerminal: false, finalText: TAG }))).toMatchObject({
      outcome: 'failed',
      failure: { kind: 'unfinished' },
    });
    expect(verdict(exited(1), told({ isTerminal: false })).failure?.kind).toBe('unfinished');
    expect(verdict(exited(0), told({ isTerminal: false, denials: 1 })).failure?.kind).toBe('permission');
  });

  it('believes an exit code that says failure', () =>
    expect(verdict(exited(3), told({ finalText: TAG }))).toEqual({
      outcome: 'failed',
      failure: { kind: 'other', message: 'exit 3' },
      hold: null,
    }));

  it.each([
    [41, 'auth'],
    [145, 'auth'],
    [173, 'rate'],
    [247, 'overloaded'],
    [53, 'turns'],
    [55, 'permission'],
    [144, 'unfinished'],
    [143, 'unfinished'],
  ])('exit %s without a word: %s', (code, kind) =>
    expect(verdict(exited(code), told({ isTerminal: false })).failure?.kind).toBe(kind),
  );

  it('lets an exit code say more about a failure that says nothing', () => {
    expect(verdict(exited(145), failing('other')).outcome).toBe('refused');
    expect(verdict(exited(145), failing('context')).failure?.kind).toBe('context');
  });

  it('reads the claim only from a run that ended well', () => {
    expect(verdict(exited(0), told({ finalText: `x\n${TAG}` }))).toEqual({
      outcome: 'claimed',
      failure: null,
      hold: null,
    });
    expect(verdict(exited(0), told({ finalText: 'x' })).outcome).toBe('worked');
    expect(verdict(exited(0), told({ finalText: 'x', denials: 2 }))).toMatchObject({
      outcome: 'failed',
      failure: { kind: 'permission' },
    });
    expect(verdict(exited(0), told({ finalText: TAG, denials: 2 })).outcome).toBe('claimed');
  });

  it('takes status 429 for the limit that was told before it', () => {
    const limit = { status: 'reached', resetsAtMs: 5, detail: 'five_hour' } as const;
    const { outcome, hold } = verdict(exited(1), { ...failing('rate'), limit });
    expect([outcome, hold]).toEqual(['limited', { kind: 'limit', untilMs: 5, detail: 'm' }]);
    expect(verdict(exited(1), { ...failing('rate'), limit: { ...limit, status: 'warning' } }).outcome).toBe(
      'throttled',
    );
  });
});

describe('judge, with plain text', () => {
  const cases: readonly (readonly [number, string, IterationOutcome, FailureKind | null])[] = [
    [0, `done\n${TAG}`, 'claimed', null],
    [0, 'Not logged in · Please run /login', 'worked', null],
    [1, 'Not logged in · Please run /login', 'refused', 'auth'],
    [1, "x\nYou've hit your limit · resets 9:53pm (UTC)\n", 'limited', 'limit'],
    [1, 'Error: 429 Too Many Requests\nat line 3', 'throttled', 'rate'],
    [1, `Not logged in\n${'work\n'.repeat(6)}`, 'failed', 'other'],
    [1, 'connection refused', 'failed', 'other'],
    [1, TAG, 'failed', 'other'],
    [41, '', 'failed', 'other'],
    [173, '', 'failed', 'other'],
  ];
  it.each(cases)('exit %s, %j: %s', (code, text, outcome, kind) => {
    const judged = verdict(exited(code), textReport(text));
    expect([judged.outcome, judged.failure?.kind ?? null]).toEqual([outcome, kind]);
  });

  it('keeps what it repeats of the text short and clean', () => {
    const evil = `\u001b[31m\u0007 ${'x'.repeat(5000)}`;
    const { failure } = verdict(exited(1), textReport(`Not logged in${evil}`));
    expect(failure?.message).toMatch(/^Not logged in x{400,490}…$/);
  });
});
