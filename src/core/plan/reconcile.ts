import { openLoops } from '../loops/draft.ts';
import { accountsToResume } from '../loops/accounts.ts';
import type { Event } from '../model/events.ts';
import { leaderOf } from '../fold/hosts.ts';
import type { HostId, LoopId, Sha, TaskKey } from '../model/ids.ts';
import { taskKey } from '../model/ids.ts';
import type { Known, SeenValue } from '../loops/integration-value.ts';
import { knownOf, standingOf } from '../loops/integration-value.ts';
import { movingCars } from '../fold/land.ts';
import type { ProcessMark, State } from '../model/model.ts';
import { isWorking } from '../model/model.ts';
import type { Task, UpstreamTasks } from '../model/task.ts';
import { isOutside } from '../model/tasks.ts';

/** What a look at the real world showed. Null: not looked at this time. */
export interface Observed {
  readonly nowMs: number;
  /** The day a person's calendar shows. */
  readonly day: string | null;
  /** Hosts of the log whose process is gone. */
  readonly deadHosts: readonly HostId[];
  /** Hosts whose process has been suspended for a while. */
  readonly stoppedHosts: readonly HostId[];
  readonly freeMb: number | null;
  readonly targetHead: Sha | null;
  /** The integration ref, and what the log knew of it when it was looked at. */
  readonly integration: { readonly seen: SeenValue; readonly known: Known } | null;
  /** Commits of this host's train that no ref names any more. */
  readonly unheldCommits: readonly Sha[];
  readonly tracker: {
    readonly path: string;
    readonly digest: string;
    readonly tasks: readonly Task[];
    readonly upstream?: UpstreamTasks | null;
  } | null;
  /** Landings that the owner of the target took back. */
  readonly takenBack?: readonly { readonly task: TaskKey; readonly commit: Sha }[];
  /** Loops of this host whose worktree folder is not there. */
  readonly missingWorktrees: readonly LoopId[];
}

/** The facts the log lacks. Recovery is nothing else: look, write down what is missing, go on. */
export function reconcile(state: State, observed: Observed, me: HostId): readonly Event[] {
  const events: Event[] = [...untoldLanding(state, observed)];
  for (const host of observed.deadHosts)
    if (host !== me && state.hosts[host] != null) events.push({ type: 'host-lost', host });
  for (const host of observed.stoppedHosts)
    if (host !== me && (state.hosts[host]?.state === 'up' || state.landing?.host === host))
      events.push({ type: 'host-stopped', host });
  events.push(...dayNews(state, observed, me));
  events.push(...diskNews(state, observed.freeMb, me));
  events.push(...accountsToResume(state, observed.nowMs));
  const { tracker, targetHead } = observed;
  if (tracker !== null) events.push(...tasksRead(state, tracker), ...tasksClosed(state, tracker));
  if (targetHead !== null && targetHead !== state.targetHead) events.push({ type: 'target-moved', head: targetHead });
  for (const { task, commit } of observed.takenBack ?? [])
    if (state.landed[task]?.commit === commit) events.push({ type: 'task-reset', task, landed: commit });
  events.push(...integrationNews(state, observed));
  for (const id of observed.missingWorktrees) {
    const loop = state.loops[id];
    if (loop != null && loop.host === me && isWorking(loop) && loop.worktreeState === 'made')
      events.push({ type: 'worktree-lost', loop: id });
  }
  return events;
}

/** Nothing where the log knows these tasks already, and what is done of them upstream. */
export function tasksRead(
  state: State,
  { path, digest, tasks, upstream }: NonNullable<Observed['tracker']>,
): readonly Extract<Event, { type: 'tasks-read' }>[] {
  const known = state.trackers[path];
  const isSameThere = upstream === undefined || inWords(upstream) === inWords(known?.upstream ?? null);
  if (known?.digest === digest && isSameThere) return [];
  return [{ type: 'tasks-read', tracker: path, digest, tasks, ...(upstream === undefined ? {} : { upstream }) }];
}

/** A landed task that a tracker outside the tree shows as done: what becomes of it from now on is a person's doing. */
function tasksClosed({ landed }: State, { path, tasks }: NonNullable<Observed['tracker']>): readonly Event[] {
  if (!isOutside(path)) return [];
  return tasks.flatMap(({ id, status }) => {
    const key = taskKey(path, id);
    const isNews = status === 'done' && landed[key] !== undefined && landed[key].isClosed !== true;
    return isNews ? [{ type: 'task-closed', task: key } as const] : [];
  });
}

const inWords = (upstream: UpstreamTasks | null): string =>
  upstream === null ? '' : [upstream.name, ...upstream.done].join('\n');

/**
 * A host that died, or was suspended, right after it moved integration could not tell. A loop that waits is found to have landed by
 * whoever would land it next; of one that was thrown away meanwhile nobody would ever learn it.
 */
function untoldLanding(
  { landing, loops }: State,
  { deadHosts, stoppedHosts, integration }: Observed,
): readonly Event[] {
  const head = integration?.seen.head ?? null;
  if (landing?.stage.at !== 'advancing' || landing.stage.commit !== head) return [];
  if (![...deadHosts, ...stoppedHosts].includes(landing.host)) return [];
  const moved = landing.cars.slice(0, movingCars(landing));
  const isThrownAway = moved.some((car) => car.loop !== null && loops[car.loop]?.phase.at === 'parked');
  return isThrownAway ? [{ type: 'integration-advanced', fence: landing.fence, commit: head }] : [];
}

/** The log decides where integration is: what it cannot vouch for is not believed, but put back. */
function integrationNews(state: State, { integration, unheldCommits }: Observed): readonly Event[] {
  const { landing } = state;
  const lost: readonly Event[] =
    landing?.stage.at === 'testing' && unheldCommits.length > 0
      ? [{ type: 'train-refs-lost', fence: landing.fence, commits: unheldCommits }]
      : [];
  // Where the log has moved on since the look, the look is out of date.
  if (integration === null || !isStillSo(state, integration.known) || state.suspect !== null) return lost;
  const { seen } = integration;
  switch (standingOf(knownOf(state), seen)) {
    case 'known':
      return lost;
    case 'landed':
      return seen.head === null ? lost : [...lost, { type: 'integration-moved', head: seen.head }];
    case 'users':
      return seen.head === null ? lost : [...lost, { type: 'integration-moved', head: seen.head, users: true }];
    case 'strange': {
      const landed = seen.facts?.landed ?? null;
      const before: readonly Event[] = landed === null ? [] : [{ type: 'integration-moved', head: landed }];
      return [...lost, ...before, { type: 'integration-intruded', head: seen.head }];
    }
  }
}

const isStillSo = (state: State, { head, granted }: Known): boolean =>
  head === state.integration &&
  granted.length === state.granted.length &&
  granted.every((commit, index) => commit === state.granted[index]);

/** One host tells, so that two whose clocks are in different places do not contradict each other without end. */
function dayNews(state: State, { day, deadHosts, stoppedHosts }: Observed, me: HostId): readonly Event[] {
  if (day === null || day === state.day?.name) return [];
  const away = new Set([...deadHosts, ...stoppedHosts]);
  const hosts = Object.fromEntries(Object.entries(state.hosts).filter(([, { id }]) => id === me || !away.has(id)));
  return leaderOf({ ...state, hosts }) === me ? [{ type: 'day-began', day }] : [];
}

/** Room must have come back with something to spare, or the same megabyte would be told again and again. */
const ROOM_TO_SPARE_PERCENT = 110;

function diskNews(state: State, freeMb: number | null, me: HostId): readonly Event[] {
  const floorMb = state.hosts[me]?.policy.limits.freeMb;
  if (freeMb === null || floorMb === undefined) return [];
  if (state.disk === null) return freeMb < floorMb ? [{ type: 'disk-low', freeMb, floorMb }] : [];
  return freeMb * 100 >= floorMb * ROOM_TO_SPARE_PERCENT ? [{ type: 'disk-freed' }] : [];
}

/** The processes to look at: every host of the log but this one. */
export function hostsToWatch(
  state: State,
  me: HostId | null,
): readonly { readonly id: HostId; readonly mark: ProcessMark }[] {
  return Object.values(state.hosts).filter((host) => host.id !== me);
}

/** The worktrees that must be there for this host's loops to go on. */
export function worktreesToWatch(
  state: State,
  me: HostId,
): readonly { readonly loop: LoopId; readonly path: string }[] {
  return openLoops(state).flatMap((loop) =>
    loop.host === me && isWorking(loop) && loop.worktree !== null ? [{ loop: loop.id, path: loop.worktree }] : [],
  );
}
