import { describeBesides, heldBesides } from './besides.ts';
import type { HostId, LoopId, Sha } from './ids.ts';
import { taskKey } from './ids.ts';
import { canBeQueued, landingQueue } from './landing-queue.ts';
import type { Hold, Loop, ParkReason, State } from './model.ts';
import { isWorking, loopsOf } from './model.ts';
import { newestLoops } from './newest-loops.ts';
import { nextCommand } from './remedy.ts';
import { foreseenOf } from './foreseen.ts';
import { isPromptTracker, taskIdOf } from './tasks.ts';
import { goOn } from './loop-next.ts';
import { freeState, iterationOf, nextOf } from './loops-view.ts';
import type { Task } from './task.ts';
import { tokensOf } from './usage.ts';

/** Where a task stands, for every face. */
export type TaskState =
  | 'waiting'
  | 'blocked'
  | 'running'
  | 'interrupted'
  | 'orphaned'
  | 'ready'
  | 'queued'
  | 'landing'
  | 'landed'
  | 'done'
  | 'parked';

export interface TaskView {
  readonly id: string;
  readonly title: string;
  readonly group: string | null;
  readonly depends_on: readonly string[];
  readonly priority: number | null;
  readonly line: number;
  readonly status: TaskState;
  readonly loop: LoopId | null;
  readonly branch: string | null;
  readonly attempts: number;
  readonly commit: Sha | null;
  readonly reason: ParkReason | null;
  readonly detail: string | null;
  /** The command that moves it on; null: nothing to do by hand. */
  readonly next: string | null;
}

export interface WorkerView {
  readonly slot: number;
  readonly task: string;
  readonly title: string;
  readonly loop: LoopId;
  readonly branch: string;
  readonly status: string;
  readonly iteration: number;
  readonly gates: 'green' | 'red' | null;
  readonly started_at: number;
  readonly duration_ms: number;
  readonly worktree: string | null;
  readonly host: HostId | null;
  readonly error: string | null;
  readonly agent: string;
  readonly progress: string | null;
  readonly tokens: number;
  readonly cost_usd: number | null;
  /** What it will conflict with if it goes on like this; task null: main. */
  readonly foreseen: readonly { readonly task: string | null; readonly paths: readonly string[] }[];
  /** Why it is back at work after it was ready. */
  readonly rework: { readonly kind: 'conflict' | 'red'; readonly times: number; readonly detail: string } | null;
}

/** What keeps an account's agents from working. */
export interface AccountView {
  readonly account: string;
  readonly kind: Hold['kind'];
  readonly detail: string;
  /** Epoch milliseconds; null: until a person does something. */
  readonly until: number | null;
  readonly left_ms: number | null;
}

export interface StatusView {
  readonly version: 1;
  readonly seq: number;
  readonly tracker: string;
  readonly counts: Readonly<Record<TaskState, number>> & { readonly tasks: number };
  readonly workers: readonly WorkerView[];
  readonly tasks: readonly TaskView[];
  readonly queue: readonly LoopId[];
  readonly queue_paused: boolean;
  readonly landing: { readonly stage: string; readonly cars: readonly LoopId[] } | null;
  readonly trouble: { readonly kind: string; readonly detail: string; readonly paths: readonly string[] } | null;
  readonly integration: Sha | null;
  readonly published: Sha | null;
  readonly publish_blocked: { readonly why: string; readonly paths: readonly string[] } | null;
  readonly accounts: readonly AccountView[];
  readonly run: {
    readonly since: number;
    readonly tokens: number;
    readonly cost_usd: number | null;
    readonly overspent: string | null;
  };
  /** Less is free than may be; null: there is room. */
  readonly disk: { readonly free_mb: number; readonly floor_mb: number } | null;
  readonly proposals: readonly { readonly loop: LoopId; readonly title: string }[];
  readonly hosts: readonly {
    readonly id: HostId;
    readonly pid: number;
    readonly state: string;
    readonly slots: number;
    readonly joined_at: number;
  }[];
}

export function statusView(state: State, tracker: string, nowMs: number): StatusView {
  const tasks = [...taskViews(state, tracker), ...promptViews(state, tracker).filter(isOpenPrompt)];
  const count = (status: TaskState): number => tasks.filter((task) => task.status === status).length;
  const states: readonly TaskState[] = [
    'waiting',
    'blocked',
    'running',
    'interrupted',
    'orphaned',
    'ready',
    'queued',
    'landing',
    'landed',
    'done',
    'parked',
  ];
  const counts = Object.fromEntries(states.map((status) => [status, count(status)])) as Record<TaskState, number>;
  const { blocked, published } = state.publishing;
  return {
    version: 1,
    seq: state.seq,
    tracker,
    counts: { tasks: tasks.length, ...counts },
    workers: loopsOf(state)
      .filter(isWorking)
      .map((loop) => workerView(state, loop, nowMs)),
    tasks,
    queue: landingQueue(state).map((loop) => loop.id),
    queue_paused: state.queuePaused,
    landing:
      state.landing === null
        ? null
        : {
            stage: state.landing.stage.at,
            cars: state.landing.cars.flatMap((car) => (car.loop === null ? [] : [car.loop])),
          },
    trouble:
      state.landingTrouble === null
        ? null
        : { kind: state.landingTrouble.kind, detail: state.landingTrouble.detail, paths: state.landingTrouble.paths },
    integration: state.integration,
    published,
    publish_blocked: blocked === null ? null : { why: blocked.why, paths: blocked.paths },
    accounts: accountViews(state, nowMs),
    run: {
      since: state.run.since,
      tokens: tokensOf(state.run.usage),
      cost_usd: state.run.usage.costUsd,
      overspent: state.run.overspent,
    },
    disk: state.disk === null ? null : { free_mb: state.disk.freeMb, floor_mb: state.disk.floorMb },
    proposals: state.proposals.map(({ loop, title }) => ({ loop, title })),
    hosts: Object.values(state.hosts).map((host) => ({
      id: host.id,
      pid: host.mark.pid,
      state: host.state,
      slots: host.policy.slots,
      joined_at: host.joinedAt,
    })),
  };
}

/** The tracker's tasks, and every prompt that was given to a single loop. */
export const allTaskViews = (state: State, tracker: string): readonly TaskView[] => [
  ...taskViews(state, tracker),
  ...promptViews(state, tracker),
];

/** Every prompt but that of `tracker`. */
export function promptViews(state: State, tracker: string): readonly TaskView[] {
  const newest = newestLoops(state);
  const others = Object.keys(state.trackers).filter((name) => isPromptTracker(name) && name !== tracker);
  return others.flatMap((name) => viewsOf(state, name, newest));
}

/** Prompts are over once landed or thrown away: nobody keeps a list of them. */
const isOpenPrompt = ({ status, reason }: TaskView): boolean =>
  status !== 'landed' && status !== 'waiting' && reason !== 'discarded';

export const taskViews = (state: State, tracker: string): readonly TaskView[] =>
  viewsOf(state, tracker, newestLoops(state));

function viewsOf(state: State, tracker: string, newest: ReturnType<typeof newestLoops>): readonly TaskView[] {
  return (state.trackers[tracker]?.tasks ?? []).map((task) =>
    taskView(state, tracker, task, newest.get(taskKey(tracker, task.id)) ?? null),
  );
}

function taskView(state: State, tracker: string, task: Task, loop: Loop | null): TaskView {
  const key = taskKey(tracker, task.id);
  const found = taskState(state, task, loop, state.landed[key] != null);
  const there = state.trackers[tracker]?.upstream;
  const isDoneThere = (found === 'waiting' || found === 'blocked') && there?.done.includes(task.id) === true;
  const status = isDoneThere ? 'done' : found;
  const parked = status === 'parked' && loop?.phase.at === 'parked' ? loop.phase : null;
  return {
    id: task.id,
    title: task.title,
    group: task.group,
    depends_on: task.deps,
    priority: task.priority,
    line: task.line,
    status,
    loop: loop?.id ?? null,
    branch: loop === null || loop.phase.at === 'landed' ? null : loop.branch,
    attempts: state.attempts[key] ?? 0,
    commit: state.landed[key]?.commit ?? null,
    reason: parked?.reason ?? null,
    detail:
      parked?.detail ??
      (isDoneThere
        ? `done on ${there.name}`
        : status === 'blocked'
          ? (task.blockedReason ?? 'marked as blocked')
          : readyDetail(loop)),
    next:
      loop !== null && (isPromptTracker(tracker) || parked?.reason === 'stopped' || parked?.reason === 'duplicate')
        ? loopsNext(state, loop, status)
        : nextCommand(status, task.id, loop !== null && canBeQueued(loop) && parked?.reason !== 'conflict'),
  };
}

function readyDetail(loop: Loop | null): string | null {
  const besides = loop === null ? null : heldBesides(loop);
  return besides === null ? null : describeBesides(besides);
}

/** A prompt stands in no file, and what a person stopped is not begun anew: what moves it on is said of its loop. */
function loopsNext(state: State, loop: Loop, status: TaskState): string | null {
  if (status === 'interrupted' || status === 'orphaned') return goOn(loop);
  return status === 'ready' || status === 'parked' ? nextOf(state, loop) : null;
}

function taskState(state: State, task: Task, loop: Loop | null, landed: boolean): TaskState {
  if (landed) return 'landed';
  // What was made for it a second time waits for a person to look at it.
  if (loop?.phase.at === 'parked' && loop.phase.reason === 'duplicate') return 'parked';
  if (task.status === 'done') return 'done';
  if (loop !== null && isAboard(state, loop.id)) return 'landing';
  switch (loop?.phase.at) {
    case 'ready':
      return loop.phase.queued ? 'queued' : 'ready';
    case 'preparing':
    case 'iterating':
    case 'gating':
    case 'updating':
      return loop.host === null ? freeState(loop) : 'running';
    case 'parked':
      // A reset forgets the attempts: the next run begins anew, whatever the loop before was parked for.
      if (loop.phase.reason === 'reset' || (state.attempts[loop.task] ?? 0) === 0) break;
      return 'parked';
    case 'landed':
    case undefined:
      break;
  }
  return task.status === 'blocked' ? 'blocked' : 'waiting';
}

const isAboard = (state: State, id: LoopId): boolean => state.landing?.cars.some((car) => car.loop === id) ?? false;

export function accountViews(state: State, nowMs: number): readonly AccountView[] {
  return Object.entries(state.accounts).flatMap(([account, { hold }]) =>
    hold === null
      ? []
      : [
          {
            account,
            kind: hold.kind,
            detail: hold.detail,
            until: hold.untilMs,
            left_ms: hold.untilMs === null ? null : Math.max(0, hold.untilMs - nowMs),
          },
        ],
  );
}

function workerView(state: State, loop: Loop, nowMs: number): WorkerView {
  return {
    slot: loop.slot,
    task: taskIdOf(state, loop.task),
    title: loop.title,
    loop: loop.id,
    branch: loop.branch,
    status: loop.host === null ? freeState(loop) : loop.phase.at,
    iteration: iterationOf(loop),
    gates: loop.lastGate?.verdict ?? null,
    started_at: loop.claimedAt,
    duration_ms: Math.max(0, nowMs - loop.claimedAt),
    worktree: loop.worktree,
    host: loop.host,
    error:
      loop.lastGate?.verdict === 'red'
        ? `gate fails: ${loop.lastGate.failing ?? ''}`
        : loop.failureStreak > 0
          ? (loop.lastFailure?.message ?? `${loop.failureStreak} failures in a row`)
          : null,
    agent: loop.agent,
    progress: loop.progress,
    tokens: tokensOf(loop.usage),
    cost_usd: loop.usage.costUsd,
    foreseen: foreseenOf(state, loop),
    rework:
      loop.rework === null ? null : { kind: loop.rework.kind, times: loop.rework.times, detail: loop.rework.detail },
  };
}
