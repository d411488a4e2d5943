import type { Loop, State } from '../model/model.ts';
import { isWorking, loopsOf } from '../model/model.ts';
import type { Task } from '../model/task.ts';
import { inOrder } from '../model/tasks.ts';
import { usualMs } from '../train/pace.ts';
import { taskViews } from './view.ts';

export interface Range {
  readonly low: number;
  readonly high: number;
}

/** How long it still takes and what it still costs, as a range from what loops took before. */
export interface ForecastView {
  /** null: too little is known to say anything. */
  readonly left_ms: Range | null;
  readonly cost_left_usd: Range | null;
  /** Tasks that are not landed, done, blocked or put aside. */
  readonly tasks_left: number;
}

/** One says nothing about how much they differ. */
const HISTORY_MIN = 2;
/** Older ones were made of other tasks. */
const HISTORY_MAX = 60;

/** `slots`: how many loops work at once; without it, what hosts have room for. */
export function forecastView(state: State, tracker: string, nowMs: number, slots?: number): ForecastView {
  const left = tasksLeft(state, tracker);
  const history = finished(state);
  if (left.length === 0 || history.length < HISTORY_MIN)
    return { left_ms: null, cost_left_usd: null, tasks_left: left.length };
  const room = Math.max(1, slots ?? roomOf(state));
  const landing = usualMs(state.pace) ?? 0;
  const at = (share: number): number =>
    workLeft(left, nowMs, { room, usual: quantile(tookMs(history, landing), share) });
  const costs = history.flatMap(({ usage }) => (usage.costUsd === null ? [] : [usage.costUsd]));
  const notReady = left.filter(({ isReady }) => !isReady).length;
  const cost = (share: number): number => notReady * quantile(costs, share);
  return {
    left_ms: {
      low: at(0.25) + landing,
      high: Math.max(at(0.25), at(0.75)) + landing * Math.max(1, Math.log2(left.length + 1)),
    },
    cost_left_usd: costs.length < HISTORY_MIN ? null : { low: cost(0.25), high: cost(0.75) },
    tasks_left: left.length,
  };
}

interface Left {
  readonly task: Pick<Task, 'id' | 'deps' | 'group'>;
  readonly loop: Loop | null;
  readonly isReady: boolean;
}

const OPEN: ReadonlySet<string> = new Set(['open', 'at-work', 'waiting', 'stopped', 'landing']);

function tasksLeft(state: State, tracker: string): readonly Left[] {
  const open = new Map(
    taskViews(state, tracker).flatMap((view) =>
      OPEN.has(view.state) && view.reason !== 'you' ? [[view.id, view]] : [],
    ),
  );
  return inOrder(state.trackers[tracker]?.tasks ?? []).flatMap((task): Left[] => {
    const view = open.get(task.id);
    if (view === undefined) return [];
    const loop = view.loop === null ? null : (state.loops[view.loop] ?? null);
    return [
      {
        task,
        loop: loop !== null && (isWorking(loop) || loop.phase.at === 'ready') ? loop : null,
        isReady: loop?.phase.at === 'ready',
      },
    ];
  });
}

/** Loops that came to something, newest last. */
const finished = (state: State): readonly Loop[] =>
  loopsOf(state)
    .filter(({ phase }) => phase.at === 'landed' || phase.at === 'ready')
    .toSorted((a, b) => a.since - b.since)
    .slice(-HISTORY_MAX);

/** What their agents took, and the gates after each iteration: without the time in which they waited to land. */
const tookMs = (loops: readonly Loop[], gatesMs: number): readonly number[] =>
  loops.map(({ usedMs, counted, since, claimedAt }) =>
    Math.max(0, Math.min(since - claimedAt, usedMs + counted * gatesMs)),
  );

const roomOf = ({ hosts }: State): number => Object.values(hosts).reduce((sum, { policy }) => sum + policy.slots, 0);

/** Every task takes the usual time; each slot takes the next one whose dependencies and group let it. */
function workLeft(
  left: readonly Left[],
  nowMs: number,
  { room, usual }: { readonly room: number; readonly usual: number },
): number {
  const ends = new Map<string, number>();
  const groups = new Map<string, number>();
  const slots = Array.from({ length: room }, () => 0);
  const atWork = left.filter(({ loop }) => loop !== null);
  const waiting = left.filter(({ loop }) => loop === null);
  for (const { task, loop, isReady } of [...atWork, ...waiting]) {
    const slot = slots.indexOf(Math.min(...slots));
    const after = Math.max(
      slots[slot] ?? 0,
      ...task.deps.map((id) => ends.get(id) ?? 0),
      groups.get(task.group ?? '\0') ?? 0,
    );
    const spent = loop === null ? 0 : Math.max(0, nowMs - loop.claimedAt);
    const end = isReady ? 0 : loop === null ? after + usual : Math.max(usual - spent, usual / 10);
    ends.set(task.id, end);
    if (task.group !== null) groups.set(task.group, end);
    if (!isReady) slots[slot] = end;
  }
  return Math.max(...ends.values());
}

function quantile(some: readonly number[], share: number): number {
  const sorted = some.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return low + (high - low) * (place - Math.floor(place));
}

/** `35-50m left`; `? left` before there is any history; nothing when nothing is left. */
export function describeForecast({ left_ms: range, tasks_left: tasks }: ForecastView): string {
  if (tasks === 0) return '';
  if (range === null) return '? left';
  const [low, high] = [Math.max(1, Math.round(range.low / 60_000)), Math.max(1, Math.ceil(range.high / 60_000))];
  if (high <= 1) return 'about 1m left';
  const hours = (minutes: number): string => `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}`;
  if (high >= 120) return `${hours(low)}-${hours(high)} left`;
  return low >= high ? `${high}m left` : `${low}-${high}m left`;
}
