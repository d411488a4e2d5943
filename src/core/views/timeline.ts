import type { Facts } from '../fold/fold.ts';
import { fold } from '../fold/fold.ts';
import { isoMs } from '../model/describe-time.ts';
import { unreachable } from '../model/assert.ts';
import type { LoopId } from '../model/ids.ts';
import type { Loop, State } from '../model/model.ts';
import { EMPTY_STATE, loopsOf } from '../model/model.ts';
import { taskIdOf } from '../model/tasks.ts';

/** What a loop was doing: its agent, its gates, bringing main in; or waiting for a train, on one, for a person, for a host. */
export type SpanKind = 'work' | 'gates' | 'mend' | 'queue' | 'train' | 'review' | 'idle';

/** Moments in epoch milliseconds, or as ISO 8601. */
export interface Span<At = number> {
  readonly from: At;
  readonly to: At;
  readonly kind: SpanKind;
}

export interface TimelineRow<At = number> {
  readonly loop: LoopId;
  readonly task: string;
  readonly title: string;
  readonly spans: readonly Span<At>[];
  /** Its gates, or those of a train it rode on, were red; or it went back to be mended. */
  readonly marks: readonly { readonly at: At; readonly what: 'red' | 'sent-back' }[];
  /** null: it is not over. */
  readonly end: { readonly at: At; readonly how: 'landed' | 'parked'; readonly reason: string | null } | null;
}

export interface TimelineView<At = number> {
  readonly from: At;
  readonly to: At;
  /** In the order in which they began; only those at work, or waiting, in that time. */
  readonly rows: readonly TimelineRow<At>[];
}

interface Open {
  kind: SpanKind | null;
  from: number;
  spans: Span[];
  marks: { at: number; what: 'red' | 'sent-back' }[];
  end: TimelineRow['end'];
}

/** Who did what when, from the records; what is still under way reaches to `to`. */
export function timelineView(
  records: readonly Facts[],
  { from, to }: { readonly from: number; readonly to: number },
): TimelineView {
  const open = new Map<LoopId, Open>();
  let before = EMPTY_STATE;
  for (const record of records) {
    if (record.at > to) break;
    const after = fold(before, record);
    note(open, before, record, after);
    before = after;
  }
  const rows = loopsOf(before).flatMap((loop): TimelineRow[] => {
    const one = open.get(loop.id);
    if (one === undefined) return [];
    close(one, to, null);
    const spans = one.spans
      .filter((span) => span.to > from)
      .map((span) => ({ ...span, from: Math.max(from, span.from) }));
    const end = one.end !== null && one.end.at >= from ? one.end : null;
    if (spans.length === 0 && end === null) return [];
    const { id, title } = loop;
    const marks = one.marks.filter(({ at }) => at >= from);
    return [{ loop: id, task: taskIdOf(before, loop.task), title, spans, marks, end }];
  });
  return { from, to, rows };
}

/** As scripts read it. */
export function withTimes({ from, to, rows }: TimelineView): TimelineView<string> {
  const marked = <T extends { readonly at: number }>(one: T) => ({ ...one, at: isoMs(one.at) });
  return {
    from: isoMs(from),
    to: isoMs(to),
    rows: rows.map((row) => ({
      ...row,
      spans: row.spans.map((span) => ({ ...span, from: isoMs(span.from), to: isoMs(span.to) })),
      marks: row.marks.map(marked),
      end: row.end === null ? null : marked(row.end),
    })),
  };
}

function note(open: Map<LoopId, Open>, before: State, { at, events }: Facts, after: State): void {
  if (before.loops === after.loops && before.landing === after.landing) return;
  for (const loop of loopsOf(after)) {
    const was = before.loops[loop.id];
    const kind = kindOf(after, loop);
    const one = open.get(loop.id) ?? { kind: null, from: at, spans: [], marks: [], end: null };
    open.set(loop.id, one);
    if (was?.phase.at === 'ready' && (kind === 'work' || kind === 'mend' || kind === 'idle'))
      one.marks.push({ at, what: 'sent-back' });
    if (kind !== one.kind) close(one, at, kind);
    if (was?.phase === loop.phase) continue;
    const { phase } = loop;
    one.end =
      phase.at === 'landed' || phase.at === 'parked'
        ? { at, how: phase.at, reason: phase.at === 'parked' ? phase.reason : null }
        : null;
  }
  for (const event of events)
    if (event.type === 'gates-ended' && event.report.verdict === 'red')
      open.get(event.loop)?.marks.push({ at, what: 'red' });
}

/** Clocks go back now and then; a span never does. */
function close(one: Open, at: number, next: SpanKind | null): void {
  if (one.kind !== null && at > one.from) one.spans.push({ from: one.from, to: at, kind: one.kind });
  one.kind = next;
  one.from = Math.max(one.from, at);
}

function kindOf(state: State, loop: Loop): SpanKind | null {
  switch (loop.phase.at) {
    case 'preparing':
    case 'iterating':
      return loop.host === null ? 'idle' : 'work';
    case 'gating':
      return loop.host === null ? 'idle' : 'gates';
    case 'updating':
      return loop.host === null ? 'idle' : 'mend';
    case 'ready':
      if (state.landing?.cars.some((car) => car.loop === loop.id) === true) return 'train';
      return loop.phase.queued ? 'queue' : 'review';
    case 'waiting':
      return 'idle';
    case 'reviewing':
      return 'review';
    case 'landed':
    case 'parked':
      return null;
    default:
      return unreachable(loop.phase);
  }
}
