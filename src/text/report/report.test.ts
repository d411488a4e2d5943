import { describe, expect, it } from 'vitest';
import { standingCases } from '../../../test/sim/standing-cases.ts';
import { inboxView } from '../../core/views/inbox.ts';
import { noticesIn } from '../../core/views/notices.ts';
import type { ReportView } from '../../core/views/report.ts';
import { standing } from '../../core/views/standing.ts';
import { reportHtml } from './report-html.ts';
import { reportText } from './report-text.ts';

const EMPTY_REPORT: ReportView = {
  verdict: 'nothing landed',
  is_bad: true,
  runs: [1],
  runs_in_all: 1,
  since: '2026-11-16T01:02:03.000Z',
  until: '2026-11-16T01:02:04.000Z',
  is_over: true,
  figures: [],
  needs_you: [],
  timeline: { from: 0, to: 1000, rows: [] },
  landed: [],
  limits: [],
};

describe('A18.4 whatever a loop is at', () => {
  it.each(standingCases())(
    'inbox, report and notification name the same state and next command: $name',
    ({ state, loop }) => {
      const found = state.loops[loop.id] ?? loop;
      const { state: at, next } = standing(state, found);
      const items = inboxView(state).items.filter((item) => item.loop === loop.id);
      const notices = noticesIn(state, {}).filter((notice) => notice.loop === loop.id);
      // A person who stopped it, or whose host is gone, knows; what nobody has to do anything about is not there.
      expect(items.length > 0, at).toBe(at === 'ready' || (at === 'parked' && items.length > 0));
      expect(notices.map(({ state: told, next: command }) => [told, command])).toEqual(items.map(() => [at, next]));
      for (const item of items) {
        expect([item.state, item.next]).toEqual([at, next]);
        const report = { ...EMPTY_REPORT, needs_you: [item] };
        expect(reportText(report, String, false)).toContain(`next: ${next}`);
        expect(reportHtml(report, String)).toContain(`next: <code>${next}</code>`);
      }
    },
  );

  it('what was put aside is there for every reason but those that a person gave', () => {
    const shown = standingCases().flatMap(({ state, loop }) =>
      inboxView(state).items.filter((item) => item.loop === loop.id),
    );
    const reasons = new Set(shown.map(({ reason }) => reason));
    for (const reason of [
      'iterations',
      'runtime',
      'no-progress',
      'failures',
      'conflict',
      'red',
      'broken',
      'budget',
      'blocked',
      'protected',
      'too-large',
      'tampered',
      'duplicate',
      'review',
    ])
      expect(reasons, reason).toContain(reason);
    for (const reason of ['discarded', 'replaced']) expect(reasons).not.toContain(reason);
  });
});
