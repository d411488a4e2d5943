import { openLoops } from '../loops/draft.ts';
import { chooseAgent, roomFor } from '../loops/accounts.ts';
import { canAdopt, isWithdrawn } from '../loops/withdrawn.ts';
import { holdingBase, isHeldBack, mayBeginOne } from '../loops/base.ts';
import { boarding, landingQueue } from '../loops/landing-queue.ts';
import { taskKey } from '../model/ids.ts';
import { fitsAll } from '../model/filters.ts';
import { isLive, isWorking } from '../model/model.ts';
import { newestLoops, staysParked } from './newest-loops.ts';
import { conflictsToMend } from '../loops/rework.ts';
import { reachedLimit } from '../model/project-limits.ts';
import { isInDoubt } from '../train/suspect.ts';
import { findTask, inOrder, isPromptTracker, taskIdOf } from '../model/tasks.ts';
import { isWorthTrying, lastChances, noteBegun, outlookOn } from './outlook.ts';
import type { Outlook } from './outlook.ts';
import { roomBeside, crowdOf, unreadOf } from './crowd.ts';
import type { Start } from '../model/commands.ts';
import type { HostId, LoopId, TaskKey } from '../model/ids.ts';
import type { Hold, Host, HostPolicy, Loop, State } from '../model/model.ts';
import type { Reached } from '../model/project-limits.ts';
import type { Task } from '../model/task.ts';

/** Why a task does not start now. */
export type Waiting =
  | { readonly why: 'done' }
  /** On the remote branch that the target follows. */
  | { readonly why: 'done-upstream'; readonly on: string }
  | { readonly why: 'landed' }
  | { readonly why: 'blocked'; readonly reason: string }
  | { readonly why: 'held'; readonly loop: LoopId }
  /** Its loop waits for these tasks to land or, where none is named, for an earlier one. */
  | { readonly why: 'waiting'; readonly loop: LoopId; readonly on: readonly string[] }
  | { readonly why: 'ready'; readonly loop: LoopId }
  | { readonly why: 'parked'; readonly loop: LoopId }
  | { readonly why: 'dependency'; readonly on: readonly string[] }
  | { readonly why: 'group'; readonly group: string; readonly behind: string }
  | { readonly why: 'account'; readonly account: string; readonly hold: Hold }
  | { readonly why: 'budget'; readonly spent: string }
  /** A limit of the project is reached. */
  | ({ readonly why: 'limit' } & Reached)
  /** The time of this host is over. */
  | { readonly why: 'time' }
  | { readonly why: 'disk'; readonly freeMb: number; readonly floorMb: number }
  /** What it would begin from is not known to be sound. */
  | { readonly why: 'integration' }
  /** Main itself fails this gate, without the work of any loop. */
  | { readonly why: 'base'; readonly gate: string }
  /** This host was told to begin others. */
  | { readonly why: 'not-chosen' }
  | { readonly why: 'slots' }
  /** A person lets nothing new start. */
  | { readonly why: 'paused' }
  /** As many loops as may be wait for a person to read them, or will. */
  | { readonly why: 'review'; readonly waiting: number; readonly atWork: number; readonly max: number }
  /** All hosts together have as many loops at work as may be. */
  | { readonly why: 'workers'; readonly atWork: number; readonly max: number };

export interface Plan {
  readonly starts: readonly Start[];
  readonly adopts: readonly { readonly loop: LoopId; readonly slot: number }[];
  readonly waits: readonly { readonly task: Task; readonly waiting: Waiting }[];
  /** Waiting loops for which nothing comes any more. */
  readonly over: readonly LoopId[];
}

const NO_PLAN: Plan = { starts: [], adopts: [], waits: [], over: [] };

/** What a host starts now, in order, and why the rest waits. Full slots, unmet dependencies and busy groups hold a task back; nothing else does. */
export function schedule(state: State, me: HostId, nowMs = Number.NEGATIVE_INFINITY): Plan {
  const host = state.hosts[me];
  if (host == null || host.state !== 'up') return NO_PLAN;
  const mine = openLoops(state).filter((loop) => loop.host === me && isWorking(loop));
  const free = freeSlots(state, host, mine);
  const adopts = (isInDoubt(state) || host.isEnding ? [] : orphans(state, host)).flatMap((loop) => {
    const slot = free.shift();
    return slot === undefined ? [] : [{ loop: loop.id, slot }];
  });
  if (host.policy.only !== null) return { ...NO_PLAN, adopts };
  const closed = closedBecause(state, host);
  const base = holdingBase(state, host.policy);
  const startsMax = base === null ? Number.POSITIVE_INFINITY : mayBeginOne(state, host.policy) ? 1 : 0;
  const picture = look(state, host, nowMs);
  for (const { loop } of adopts) noteBegun(picture.outlook, state.loops[loop]?.task);
  const starts: Start[] = [];
  const taken = adopts.length;
  let begun = 0;
  const waits: { task: Task; waiting: Waiting }[] = [];
  for (const task of inOrder(state.trackers[host.policy.tracker]?.tasks ?? [])) {
    const held: Waiting | null = begun < startsMax ? null : { why: 'base', gate: base?.report.failing ?? '' };
    const waiting = waitingOf(picture, task) ?? closed ?? held ?? unreadBecause(state, host.policy, begun);
    const slot = waiting === null ? free.shift() : undefined;
    if (waiting !== null || slot === undefined) {
      waits.push({ task, waiting: waiting ?? fullBecause(state, host, mine.length, adopts.length + starts.length) });
      continue;
    }
    const group = groupOf(host, task);
    const key = taskKey(host.policy.tracker, task.id);
    const again = picture.byTask.get(key);
    noteBegun(picture.outlook, key);
    if (again?.phase.at === 'waiting') adopts.push({ loop: again.id, slot });
    else starts.push({ task: key, slot, onto: startsFrom(picture, task, group) });
    begun += 1;
    if (group !== null) picture.busyGroups.set(group, task.id);
  }
  const plan = { starts, adopts, waits, over: [] };
  const mayAll = taken === 0 && begun === 0 && base === null && isAtRest(state, host);
  return mayAll ? withLastChances(picture, plan, free, closed) : plan;
}

/** Nothing else runs, lands or may start: who waits, or was put aside for want of what has landed since, is tried once more. */
function withLastChances(picture: Picture, plan: Plan, free: readonly number[], closed: Waiting | null): Plan {
  const { host } = picture;
  if (plan.waits.some(({ waiting }) => mayStartLater(waiting))) return plan;
  const { again, over } = lastChances(picture.outlook, host);
  if (closed !== null) {
    // It is tried when whatever closes this host is over.
    const keys = new Set(again.map(({ loop }) => loop.task));
    const waits = plan.waits.map((one) =>
      keys.has(taskKey(host.policy.tracker, one.task.id)) ? { ...one, waiting: closed } : one,
    );
    return { ...plan, waits };
  }
  const adopts: Plan['adopts'][number][] = [];
  const starts: Start[] = [];
  for (const [index, { loop, isAnew }] of again.entries()) {
    const slot = free[index];
    const group = groupOf(host, findTask(picture.state, loop.task) ?? loop);
    if (slot === undefined || (group !== null && picture.busyGroups.has(group))) continue;
    if (group !== null) picture.busyGroups.set(group, loop.task);
    if (isAnew) starts.push({ task: loop.task, slot, onto: [], again: true });
    else adopts.push({ loop: loop.id, slot });
  }
  return { ...plan, starts, adopts, over: over.map(({ id }) => id) };
}

/** Its own slots are taken, or other hosts leave it no room. */
function fullBecause(state: State, host: Host, mine: number, more: number): Waiting {
  if (mine + more >= roomFor(state, host.policy)) return { why: 'slots' };
  const { atWork, max } = crowdOf(state);
  return { why: 'workers', atWork: atWork + more, max };
}

/** Why no new task may start at all. */
function closedBecause(state: State, { policy, isEnding }: Host): Waiting | null {
  if (isEnding) return { why: 'time' };
  if (isInDoubt(state)) return { why: 'integration' };
  // Who lands only, or works on a prompt, was asked to by a person.
  if (state.pausedAt !== undefined && isOfList(policy)) return { why: 'paused' };
  if (state.run.overspent !== null) return { why: 'budget', spent: state.run.overspent };
  const reached = reachedLimit(state, policy.project);
  if (reached !== null) return { why: 'limit', ...reached };
  if (state.disk !== null) return { why: 'disk', freeMb: state.disk.freeMb, floorMb: state.disk.floorMb };
  const choice = chooseAgent(state, policy);
  return choice.kind === 'go' ? null : { why: 'account', account: choice.account, hold: choice.hold };
}

const isOfList = ({ slots, tracker }: HostPolicy): boolean => slots > 0 && !isPromptTracker(tracker);

/** What is at work will wait to be read as well, unless it lands by itself: the bound is on how many ever wait. */
function unreadBecause(state: State, policy: HostPolicy, starting: number): Waiting | null {
  const { maxWaiting: max } = policy;
  if (max === undefined || !isOfList(policy)) return null;
  const { waiting, atWork } = unreadOf(state, policy);
  return waiting + atWork + starting < max ? null : { why: 'review', waiting, atWork: atWork + starting, max };
}

interface Picture {
  readonly outlook: Outlook;
  readonly state: State;
  readonly host: Host;
  readonly byTask: ReadonlyMap<TaskKey, Loop>;
  readonly busyGroups: Map<string, string>;
  readonly readyInGroup: ReadonlyMap<string, Loop>;
}

function look(state: State, host: Host, nowMs: number): Picture {
  const busyGroups = new Map<string, string>();
  const readyInGroup = new Map<string, Loop>();
  const live = openLoops(state).filter(
    (loop) =>
      isLive(loop) &&
      loop.phase.at !== 'waiting' &&
      loop.task.startsWith(`${host.policy.tracker}#`) &&
      !isLeftLying(state, loop),
  );
  for (const loop of live.sort((a, b) => readySeqOf(a) - readySeqOf(b)))
    for (const group of groupsOf(state, host, loop))
      if (loop.phase.at === 'ready' && !loop.phase.queued) readyInGroup.set(group, loop);
      else busyGroups.set(group, taskIdOf(state, loop.task));
  // Of a task that has landed, an older loop is not its newest one.
  const isOfOpenTask = (loop: Loop): boolean => isLive(loop) || state.landed[loop.task] === undefined;
  const byTask = newestLoops(state, openLoops(state).filter(isOfOpenTask));
  const outlook = outlookOn(state, host.policy.tracker, byTask, nowMs);
  return { outlook, state, host, byTask, busyGroups, readyInGroup };
}

/** Nobody goes on with it or lands it unless a person says so: no group waits for that, and nothing is built on it. */
const isLeftLying = (state: State, loop: Loop): boolean => loop.host === null && isWithdrawn(state, loop);

const readySeqOf = (loop: Loop): number => (loop.phase.at === 'ready' ? loop.phase.readySeq : 0);

/** The group a loop was started in and, if the tracker was edited since, the one its task is in now. */
function groupsOf(state: State, host: Host, loop: Loop): ReadonlySet<string> {
  const groups = [groupOf(host, loop), groupOf(host, findTask(state, loop.task) ?? loop)];
  return new Set(groups.filter((group) => group !== null));
}

/** Under strategy `group` the tasks without a group are one group of their own. */
function groupOf(host: Host, task: Pick<Task, 'group'>): string | null {
  return task.group ?? (host.policy.strategy === 'group' ? '' : null);
}

function waitingOf(picture: Picture, task: Task): Waiting | null {
  const { state, host } = picture;
  const key = taskKey(host.policy.tracker, task.id);
  const loop = picture.byTask.get(key);
  if (!fitsAll(host.policy.choice ?? [], task)) return { why: 'not-chosen' };
  if (state.landed[key] != null) return { why: 'landed' };
  if (task.status === 'done') return { why: 'done' };
  if (loop?.phase.at === 'ready') return { why: 'ready', loop: loop.id };
  if (loop?.phase.at === 'waiting') {
    const { tasks } = loop.phase;
    const isWorth = task.status !== 'blocked' && isWorthTrying(picture.outlook, loop);
    if (isWorth && loop.worktreeState !== 'made') return groupWait(picture, task);
    // It begins as soon as its worktree is given back.
    if (isWorth) noteBegun(picture.outlook, key);
    return { why: 'waiting', loop: loop.id, on: tasks.map((one) => taskIdOf(state, one)) };
  }
  if (loop != null && isLive(loop)) return { why: 'held', loop: loop.id };
  const there = state.trackers[host.policy.tracker]?.upstream;
  if (there?.done.includes(task.id) === true) return { why: 'done-upstream', on: there.name };
  if (task.status === 'blocked') return { why: 'blocked', reason: task.blockedReason ?? 'marked as blocked' };
  if (loop != null && staysParked(state, loop, host.policy.limits.attempts)) return { why: 'parked', loop: loop.id };
  const unmet = task.deps.filter((dep) => !isMet(picture, dep));
  if (unmet.length > 0) return { why: 'dependency', on: unmet };
  return groupWait(picture, task);
}

function groupWait({ host, busyGroups }: Picture, task: Task): Waiting | null {
  const group = groupOf(host, task);
  const behind = group === null ? undefined : busyGroups.get(group);
  return behind === undefined ? null : { why: 'group', group: group ?? '', behind };
}

/** A dependency counts once landed; where a person lands by hand, once its branch is ready to start from. */
function isMet(picture: Picture, dep: Task['id']): boolean {
  const { state, host } = picture;
  const key = taskKey(host.policy.tracker, dep);
  if (state.landed[key] != null) return true;
  if (state.trackers[host.policy.tracker]?.tasks.find((task) => task.id === dep)?.status === 'done') return true;
  return host.policy.mergePolicy === 'manual' && picture.byTask.get(key)?.phase.at === 'ready';
}

/** The unlanded branches a new loop must contain: its dependencies' and, in a group, the one before it. */
function startsFrom(picture: Picture, task: Task, group: string | null): readonly LoopId[] {
  const { host } = picture;
  const ready = task.deps.flatMap((dep) => {
    const loop = picture.byTask.get(taskKey(host.policy.tracker, dep));
    return loop?.phase.at === 'ready' ? [loop.id] : [];
  });
  const before = group === null ? undefined : picture.readyInGroup.get(group);
  return before == null || ready.includes(before.id) ? ready : [...ready, before.id];
}

function freeSlots(state: State, host: Host, mine: readonly Loop[]): number[] {
  const taken = new Set(mine.map((loop) => loop.slot));
  const slots = Array.from({ length: host.policy.slots }, (_, index) => index + 1);
  const room = Math.max(0, Math.min(roomFor(state, host.policy) - mine.length, roomBeside(state, host)));
  return slots.filter((slot) => !taken.has(slot)).slice(0, room);
}

function orphans(state: State, host: Host): readonly Loop[] {
  return openLoops(state)
    .filter((loop) => loop.host === null && isWorking(loop) && canAdopt(state, host, loop))
    .filter((loop) => !isHeldBack(state, host.policy, loop))
    .sort((a, b) => a.claimedAt - b.claimedAt || (a.id < b.id ? -1 : 1));
}

/** A limit that is over at a known time is worth waiting for, and so is room on the disk or beside other hosts, and a person who has said so. */
const mayStartLater = (waiting: Waiting): boolean =>
  waiting.why === 'paused' ||
  waiting.why === 'review' ||
  waiting.why === 'disk' ||
  waiting.why === 'workers' ||
  (waiting.why === 'account' && waiting.hold.untilMs !== null);

/** Nothing is left that this host could do or should wait for. */
export function isSpent(state: State, me: HostId): boolean {
  const host = state.hosts[me];
  if (host == null) return true;
  const { starts, adopts, waits, over } = schedule(state, me);
  if (starts.length > 0 || adopts.length > 0 || over.length > 0 || isGivingBack(state, host)) return false;
  if (waits.some(({ waiting }) => mayStartLater(waiting))) return false;
  // Others leave it no room to go on with what nobody holds.
  if (host.policy.slots > 0 && !host.isEnding && roomBeside(state, host) === 0 && orphans(state, host).length > 0)
    return false;
  if (isBeside(state, host) || state.landing !== null) return false;
  if (state.landingTrouble !== null) return true;
  if (state.suspect !== null) return false;
  if (state.publishing.diverged && !state.queuePaused) return false;
  if (state.queuePaused) return true;
  return boarding(state, 1).length === 0 && conflictsToMend(state, me).length === 0 && !waitsForOthers(state, host);
}

/** The worktree of a waiting loop is being given back: whether it has a chance is asked after that. */
const isGivingBack = (state: State, { policy, isEnding }: Host): boolean =>
  policy.slots > 0 &&
  policy.only === null &&
  !isEnding &&
  openLoops(state).some(
    ({ phase, worktreeState, task }) =>
      phase.at === 'waiting' && worktreeState === 'made' && task.startsWith(`${policy.tracker}#`),
  );

/** Some loop is at work for it, or beside it on the same list. */
function isBeside(state: State, { id: me, policy, isEnding }: Host): boolean {
  const isItsTracker = policy.slots > 0 && policy.only === null && !isEnding;
  return openLoops(state).some(
    (loop) =>
      loop.host !== null &&
      isWorking(loop) &&
      // Nobody knows when a suspended process goes on, or if.
      state.hosts[loop.host]?.state !== 'stopped' &&
      (loop.host === me || (isItsTracker && loop.task.startsWith(`${policy.tracker}#`))),
  );
}

/** Nothing runs or lands, and nothing is about to. */
function isAtRest(state: State, host: Host): boolean {
  if (isBeside(state, host) || state.landing !== null || state.landingTrouble !== null || state.suspect !== null)
    return false;
  if (state.queuePaused || state.publishing.diverged || orphans(state, host).length > 0) return false;
  return (
    boarding(state, 1).length === 0 && conflictsToMend(state, host.id).length === 0 && !waitsForOthers(state, host)
  );
}

/** Its work does not merge while somebody else mends the same files: what comes of that decides about it. */
function waitsForOthers(state: State, { policy, isEnding }: Host): boolean {
  if (policy.slots === 0 || isEnding || !landingQueue(state).some((loop) => loop.task.startsWith(`${policy.tracker}#`)))
    return false;
  return openLoops(state).some(
    (loop) => isWorking(loop) && loop.host !== null && state.hosts[loop.host]?.state === 'up',
  );
}
