import { taskKey } from '../model/ids.ts';
import { isoMs } from '../model/describe-time.ts';
import { landingQueue } from '../loops/landing-queue.ts';
import { describeRed } from '../model/line-that-matters.ts';
import { isWorking, loopsOf } from '../model/model.ts';
import { unreadOf } from '../plan/crowd.ts';
import { newestLoops, staysParked } from '../plan/newest-loops.ts';
import { NO_PROJECT_LIMITS, projectUse, reachedLimit } from '../model/project-limits.ts';
import { shellWord } from '../model/shell-word.ts';
import type { Standing, TaskState } from './standing.ts';
import { COMMIT_DIGITS, standing, TASK_STATES } from './standing.ts';
import { findTask, isPromptTracker, taskIdOf, trackerOf } from '../model/tasks.ts';
import { tokensOf } from '../model/usage.ts';
import { workerView } from './view-workers.ts';
import type { HostId, LoopId, Sha } from '../model/ids.ts';
import type { Hold, Loop, State } from '../model/model.ts';
import type { ProjectLimits, Reached } from '../model/project-limits.ts';
import type { Task } from '../model/task.ts';
import type { WorkerView } from './view-workers.ts';

/** What `limits.attempts` is where it is not set, and for prompts. */
const ATTEMPTS = 1;

export interface TaskView extends Standing<TaskState> {
  readonly id: string;
  readonly title: string;
  readonly group: string | null;
  readonly depends_on: readonly string[];
  readonly priority: number | null;
  readonly line: number;
  readonly loop: LoopId | null;
  readonly branch: string | null;
  readonly attempts: number;
  readonly commit: Sha | null;
}

/** What keeps an account's agents from working. */
export interface AccountView {
  readonly account: string;
  readonly kind: Hold['kind'];
  readonly detail: string;
  /** null: until a person does something. */
  readonly until: string | null;
  readonly left_ms: number | null;
}

/** A state as a name in JSON. */
type CountKey = 'at_work' | 'in_review' | Exclude<TaskState, 'at-work' | 'in-review'>;

export const countKey = (state: TaskState): CountKey => state.replace('-', '_') as CountKey;

export interface StatusView {
  readonly version: 1;
  readonly seq: number;
  readonly tracker: string;
  readonly counts: Readonly<Record<CountKey, number>> & { readonly tasks: number };
  readonly workers: readonly WorkerView[];
  readonly tasks: readonly TaskView[];
  readonly queue: readonly LoopId[];
  readonly queue_paused: boolean;
  readonly landing: { readonly stage: string; readonly cars: readonly LoopId[] } | null;
  readonly trouble: { readonly kind: string; readonly detail: string; readonly paths: readonly string[] } | null;
  /** How main itself fails its gates, in words, as far as known; null: it does not. */
  readonly base: string | null;
  readonly integration: Sha | null;
  readonly published: Sha | null;
  readonly publish_blocked: { readonly why: string; readonly paths: readonly string[] } | null;
  readonly accounts: readonly AccountView[];
  readonly run: {
    /** null: there was none. */
    readonly since: string | null;
    readonly tokens: number;
    readonly cost_usd: number | null;
    readonly overspent: string | null;
  };
  /** What all loops have used today or, where its limits are in total, in all. */
  readonly project: {
    readonly per: ProjectLimits['per'];
    readonly cost_usd: number;
    readonly tokens: number;
    readonly iterations: number;
    readonly runtime_ms: number;
    readonly parked_in_row: number;
    /** The limit that keeps anything new from starting. */
    readonly reached: Reached | null;
  };
  /** A person lets nothing new start. */
  readonly paused: boolean;
  /** So many wait for a review, or will, that nothing new starts; null: there is room, or no bound. */
  readonly unread: { readonly waiting: number; readonly at_work: number; readonly max: number } | null;
  /** Less is free than may be; null: there is room. */
  readonly disk: { readonly free_mb: number; readonly floor_mb: number } | null;
  readonly proposals: readonly { readonly loop: LoopId; readonly title: string }[];
  readonly hosts: readonly {
    readonly id: HostId;
    readonly pid: number;
    readonly state: string;
    readonly slots: number;
    readonly joined_at: string;
  }[];
}

/** `attemptsMax`: loops a task may get, as `limits.attempts` says. */
export function statusView(
  state: State,
  tracker: string,
  nowMs: number,
  attemptsMax = ATTEMPTS,
  limits: ProjectLimits = NO_PROJECT_LIMITS,
): StatusView {
  const tasks = [...taskViews(state, tracker, attemptsMax), ...promptViews(state, tracker).filter(isOpenPrompt)];
  const counts = Object.fromEntries(
    TASK_STATES.map((one) => [countKey(one), tasks.filter((task) => task.state === one).length]),
  ) as Record<CountKey, number>;
  const { blocked, published } = state.publishing;
  return {
    version: 1,
    seq: state.seq,
    tracker,
    counts: { tasks: tasks.length, ...counts },
    workers: loopsOf(state)
      .filter((loop) => isWorking(loop) || hasEndedIn(state.run, loop))
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
    base: describeBase(state),
    integration: state.integration,
    published,
    publish_blocked: blocked === null ? null : { why: blocked.why, paths: blocked.paths },
    accounts: accountViews(state, nowMs),
    run: {
      since: state.run.since === 0 ? null : isoMs(state.run.since),
      tokens: tokensOf(state.run.usage),
      cost_usd: state.run.usage.costUsd,
      overspent: state.run.overspent,
    },
    project: projectView(state, limits),
    paused: state.pausedAt !== undefined,
    unread: unreadView(state),
    disk: state.disk === null ? null : { free_mb: state.disk.freeMb, floor_mb: state.disk.floorMb },
    proposals: state.proposals.map(({ loop, title }) => ({ loop, title })),
    hosts: Object.values(state.hosts).map((host) => ({
      id: host.id,
      pid: host.mark.pid,
      state: host.state,
      slots: host.policy.slots,
      joined_at: isoMs(host.joinedAt),
    })),
  };
}

function unreadView(state: State): StatusView['unread'] {
  for (const { policy } of Object.values(state.hosts)) {
    const { maxWaiting: max } = policy;
    const { waiting, atWork } = unreadOf(state, policy);
    if (max !== undefined && waiting + atWork >= max) return { waiting, at_work: atWork, max };
  }
  return null;
}

function projectView(state: State, limits: ProjectLimits): StatusView['project'] {
  const { costUsd, tokens, iterations, runtimeMs, parkedInRow } = projectUse(state, limits.per);
  return {
    per: limits.per,
    cost_usd: costUsd,
    tokens,
    iterations,
    runtime_ms: runtimeMs,
    parked_in_row: parkedInRow,
    reached: reachedLimit(state, limits),
  };
}

/** The tracker's tasks, and every prompt that was given to a single loop. */
export const allTaskViews = (state: State, tracker: string, attemptsMax = ATTEMPTS): readonly TaskView[] => [
  ...taskViews(state, tracker, attemptsMax),
  ...withdrawnViews(state, tracker).filter(({ loop }) => !isInHand(state, loop)),
  ...promptViews(state, tracker),
];

/** Every prompt but that of `tracker`. */
export function promptViews(state: State, tracker: string): readonly TaskView[] {
  const newest = newestLoops(state);
  const others = Object.keys(state.trackers).filter((name) => isPromptTracker(name) && name !== tracker);
  return others.flatMap((name) => viewsOf(state, name, newest, ATTEMPTS));
}

/** Prompts are over once landed or thrown away: nobody keeps a list of them. */
const isOpenPrompt = ({ state }: TaskView): boolean => state !== 'landed' && state !== 'open' && state !== 'discarded';

/** The tracker's tasks, and those that were taken out of it while somebody works on them or their work waits. */
export const taskViews = (state: State, tracker: string, attemptsMax = ATTEMPTS): readonly TaskView[] => [
  ...viewsOf(state, tracker, newestLoops(state), attemptsMax),
  ...withdrawnViews(state, tracker).filter(({ loop }) => isInHand(state, loop)),
];

/** Every task that a loop began and that is no longer in the tracker. */
export function withdrawnViews(state: State, tracker: string): readonly TaskView[] {
  if (isPromptTracker(tracker) || state.trackers[tracker] === undefined) return [];
  const gone = [...newestLoops(state).values()].filter(
    (loop) => trackerOf(state, loop.task) === tracker && findTask(state, loop.task) === null,
  );
  return gone.map((loop) => {
    const { title, group } = loop;
    const task = { ...NO_TASK, id: taskIdOf(state, loop.task), title, group };
    return taskView(state, tracker, task, { loop, isStuck: true });
  });
}

const NO_TASK = {
  body: '',
  acceptance: [],
  deps: [],
  priority: null,
  status: 'open',
  blockedReason: null,
  line: 0,
} as const;

function isInHand({ loops }: State, id: LoopId | null): boolean {
  const loop = id === null ? undefined : loops[id];
  return loop !== undefined && (loop.phase.at === 'ready' || (isWorking(loop) && loop.host !== null));
}

function viewsOf(
  state: State,
  tracker: string,
  newest: ReturnType<typeof newestLoops>,
  attemptsMax: number,
): readonly TaskView[] {
  return (state.trackers[tracker]?.tasks ?? []).map((task) => {
    const loop = newest.get(taskKey(tracker, task.id)) ?? null;
    return taskView(state, tracker, task, { loop, isStuck: loop !== null && staysParked(state, loop, attemptsMax) });
  });
}

interface Newest {
  readonly loop: Loop | null;
  /** If it is parked, its task stays so until a person frees it. */
  readonly isStuck: boolean;
}

function taskView(state: State, tracker: string, task: Task, newest: Newest): TaskView {
  const { loop } = newest;
  const key = taskKey(tracker, task.id);
  const landed = state.landed[key];
  const stands = taskStanding(state, tracker, task, newest);
  return {
    id: task.id,
    title: task.title,
    group: task.group,
    depends_on: task.deps,
    priority: task.priority,
    line: task.line,
    ...stands,
    loop: loop?.id ?? null,
    branch: loop === null || loop.phase.at === 'landed' ? null : loop.branch,
    attempts: state.attempts[key] ?? 0,
    commit: landed?.commit ?? null,
  };
}

/** Where its loop stands, unless what the task file or an earlier landing says counts for more. */
function taskStanding(state: State, tracker: string, task: Task, { loop, isStuck }: Newest): Standing<TaskState> {
  const landed = state.landed[taskKey(tracker, task.id)];
  if (landed != null) {
    const commit = landed.commit.slice(0, COMMIT_DIGITS);
    const why = `as ${commit}${rewordedSince(task, loop)}`;
    return { state: 'landed', reason: null, why, next: `git show ${commit}` };
  }
  // What was made for it a second time waits for a person to look at it.
  const isDuplicate = isStuck && loop?.phase.at === 'parked' && loop.phase.reason === 'duplicate';
  if (task.status === 'done' && !isDuplicate)
    return { state: 'done', reason: null, why: 'done in the task file', next: null };
  if (loop !== null && loop.phase.at !== 'landed' && (loop.phase.at !== 'parked' || isStuck)) {
    const stands = standing(state, loop);
    return loop.phase.at === 'ready' ? { ...stands, why: `${stands.why}${rewordedSince(task, loop)}` } : stands;
  }
  const there = state.trackers[tracker]?.upstream;
  if (there?.done.includes(task.id) === true)
    return { state: 'done', reason: 'upstream', why: `done on ${there.name}`, next: null };
  if (task.status === 'blocked')
    return {
      state: 'blocked',
      reason: null,
      why: task.blockedReason ?? 'marked as blocked',
      next: `ralph tasks unblock ${shellWord(task.id)}`,
    };
  return { state: 'open', reason: null, why: 'no loop works on it', next: null };
}

/** What landed, or is about to, was begun under other words. */
const rewordedSince = ({ title }: Task, loop: Loop | null): string =>
  loop === null || loop.title === title ? '' : `; reworded since it began as ${JSON.stringify(loop.title)}`;

function accountViews(state: State, nowMs: number): readonly AccountView[] {
  return Object.entries(state.accounts).flatMap(([account, { hold }]) =>
    hold === null
      ? []
      : [
          {
            account,
            kind: hold.kind,
            detail: hold.detail,
            until: hold.untilMs === null ? null : isoMs(hold.untilMs),
            left_ms: hold.untilMs === null ? null : Math.max(0, hold.untilMs - nowMs),
          },
        ],
  );
}

const hasEndedIn = ({ since }: State['run'], loop: Loop): boolean => since > 0 && loop.since >= since;

function describeBase({ bases, target }: State): string | null {
  const { commit, red } = Object.values(bases).at(-1) ?? { commit: '', red: null };
  if (red === null) return null;
  return `${target ?? 'main'} itself fails its gates (${commit.slice(0, 10)}): ${describeRed(red.report)}`;
}
