import type { Facts } from '../fold/fold.ts';
import { fold } from '../fold/fold.ts';
import { howMany, isoMs } from '../model/describe-time.ts';
import { EMPTY_STATE } from '../model/model.ts';
import type { InboxAbout, InboxItem } from './inbox.ts';
import { inboxView } from './inbox.ts';
import type { RunLine } from './runs.ts';
import { withRecord } from './runs.ts';
import type { TimelineView } from './timeline.ts';
import { timelineView } from './timeline.ts';

/** What came of one run, or of all: for the morning after. Times are ISO 8601. */
export interface ReportView {
  /** What a person reads if they read one line. */
  readonly verdict: string;
  /** Nothing landed. */
  readonly is_bad: boolean;
  /** Which runs are told of, by number; of how many. */
  readonly runs: readonly number[];
  readonly runs_in_all: number;
  readonly since: string;
  readonly until: string;
  readonly is_over: boolean;
  readonly figures: readonly Figure[];
  readonly needs_you: readonly NeedsYou[];
  readonly timeline: TimelineView;
  readonly landed: readonly ReportLanding[];
  readonly limits: readonly { readonly at: string; readonly of: string; readonly detail: string }[];
}

/** A figure, and what it was in the run before; null: nothing is known. */
export interface Figure {
  readonly what: string;
  readonly unit: 'count' | 'usd' | 'ms';
  readonly now: number | null;
  readonly before: number | null;
}

export type NeedsYou = Pick<
  InboxItem,
  'kind' | 'loop' | 'task' | 'title' | 'state' | 'reason' | 'detail' | 'next' | 'lines'
>;

export interface ReportLanding {
  readonly task: string;
  readonly loop: string;
  readonly title: string;
  readonly commit: string;
  readonly at: string;
  readonly took_ms: number;
  readonly iterations: number;
  readonly cost_usd: number | null;
  /** null: not looked at, or the commit is not there any more. */
  readonly size: DiffSize | null;
}

export interface DiffSize {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

export interface ReportAbout extends InboxAbout {
  /** The number of one run, from 1; null: all of them. */
  readonly run: number | null;
  readonly nowMs: number;
  readonly sizes?: ReadonlyMap<string, DiffSize>;
}

/** Null: there was no such run. */
export function reportView(records: readonly Facts[], about: ReportAbout): ReportView | null {
  let [runs, state]: [readonly RunLine[], typeof EMPTY_STATE] = [[], EMPTY_STATE];
  const told: Facts[] = [];
  for (const record of records) {
    const after = fold(state, record);
    const next = withRecord(runs, state, record, after);
    // What waited when the next run began is that one's to tell.
    if (about.run !== null && next.length > about.run) break;
    told.push(record);
    [runs, state] = [next, after];
  }
  const chosen = about.run === null ? runs : runs.slice(about.run - 1, about.run);
  const [first] = chosen;
  const last = chosen.at(-1);
  if (first === undefined || last === undefined) return null;
  const isLive = last.ended === null && Object.keys(state.hosts).length > 0;
  const to = Math.max(first.since, isLive ? about.nowMs : (last.ended ?? last.last_at), last.landed.at(-1)?.at ?? 0);
  const { items } = inboxView(state, about);
  const landed = chosen.flatMap((run) => run.landed);
  return {
    verdict: verdictOf(chosen, items),
    is_bad: landed.length === 0,
    runs: chosen.map(({ n }) => n),
    runs_in_all: Math.max(runs.length, about.run ?? 0),
    since: isoMs(first.since),
    until: isoMs(to),
    is_over: !isLive,
    figures: figuresOf(chosen, about.run === null ? null : (runs[about.run - 2] ?? null), { isLive, to }),
    needs_you: needsYou(items),
    timeline: timelineView(told, { from: first.since, to }),
    landed: landed.map(({ at, ...one }) => ({ ...one, at: isoMs(at), size: about.sizes?.get(one.commit) ?? null })),
    limits: chosen.flatMap((run) => run.limits).map(({ at, ...one }) => ({ ...one, at: isoMs(at) })),
  };
}

/** As much of what waits for a person as is reported. */
export const needsYou = (items: readonly InboxItem[]): readonly NeedsYou[] =>
  items.map(({ kind, loop, task, title, state, reason, detail, next, lines }) => ({
    kind,
    loop,
    task,
    title,
    state,
    reason,
    detail,
    next,
    lines,
  }));

/** A night without a landing is told as one, with what stopped it. */
function verdictOf(runs: readonly RunLine[], items: readonly InboxItem[]): string {
  const landed = runs.reduce((sum, run) => sum + run.landed.length, 0);
  const needs = items.filter(({ until }) => until === null).length;
  const stop = items.find(({ kind }) => kind === 'stopped');
  const parts = [
    landed > 0 ? `${landed} landed` : 'nothing landed',
    ...(stop === undefined ? [] : [stop.title]),
    ...(needs === 0 ? [] : [`${needs} ${needs === 1 ? 'needs' : 'need'} you`]),
  ];
  return parts.join(', ');
}

interface Ends {
  readonly isLive: boolean;
  readonly to: number;
}

function figuresOf(runs: readonly RunLine[], before: RunLine | null, { to }: Ends): readonly Figure[] {
  const endOf = (run: RunLine): number => Math.max(run.ended ?? run.last_at, run.since);
  const time = (run: RunLine): number => endOf(run) - run.since;
  const last = runs.at(-1);
  const sum = (of: (run: RunLine) => number): number => runs.reduce((all, run) => all + of(run), 0);
  const costs = runs.flatMap(({ cost_usd: cost }) => (cost === null ? [] : [cost]));
  const cost = costs.length === 0 ? null : costs.reduce((a, b) => a + b, 0);
  const landed = sum((run) => run.landed.length);
  const figure = (what: string, unit: Figure['unit'], of: (run: RunLine) => number): Figure => ({
    what,
    unit,
    now: sum(of),
    before: before === null ? null : of(before),
  });
  const each = (run: Pick<RunLine, 'cost_usd' | 'landed'>): number | null =>
    run.cost_usd === null || run.landed.length === 0 ? null : run.cost_usd / run.landed.length;
  return [
    figure('landed', 'count', (run) => run.landed.length),
    figure('parked', 'count', (run) => run.parked.length),
    figure('gate runs on trains', 'count', (run) => run.gate_runs),
    figure('gate runs saved', 'count', (run) => run.gate_runs_saved),
    figure('sent back to be mended', 'count', ({ sent_back: back }) => back.conflict + back.red),
    figure('iterations', 'count', (run) => run.iterations),
    { what: 'cost', unit: 'usd', now: cost, before: before?.cost_usd ?? null },
    {
      what: 'cost of a landing',
      unit: 'usd',
      now: cost === null || landed === 0 ? null : cost / landed,
      before: before === null ? null : each(before),
    },
    {
      what: 'time',
      unit: 'ms',
      now: sum(time) + (last === undefined || last.ended !== null ? 0 : Math.max(0, to - endOf(last))),
      before: before === null ? null : time(before),
    },
  ];
}

/** `4 files +120 -8`. */
export const describeSize = ({ files, added, removed }: DiffSize): string =>
  `${howMany(files, 'file')} +${added} -${removed}`;
