import { accountOf, agentsFor, chooseAgent, noteAccount, STRIKES_MAX } from './accounts.ts';
import { isHeldBack, lacksGreenBase, redBase } from './base.ts';
import { describeMs, howMany } from '../model/describe-time.ts';
import { withEntry, withItem, withLoop, openLoops } from './draft.ts';
import { isLive, isWorking, SPENDS_MAX } from '../model/model.ts';
import { UNTOLD, UNWORKED } from '../model/unworked.ts';
import { noteSpending, runName } from './run.ts';
import { findTask } from '../model/tasks.ts';
import {
  canWait,
  describeLack,
  hasEarlierOpen,
  isBehind,
  isUsedUp,
  lackedBy,
  sawCall,
  triedBy,
  tryAgain,
} from './waiting.ts';
import { usedSince } from '../model/grants.ts';
import { addUsage, overspent } from '../model/usage.ts';
import { describeWithdrawn, isWithdrawn } from './withdrawn.ts';
import type { Draft } from './draft.ts';
import type { Event, IterationOutcome, Stamp } from '../model/events.ts';
import type { HostId } from '../model/ids.ts';
import type { Breach, Host, Loop, ParkReason, Phase, State } from '../model/model.ts';
import type { LimitSettings } from '../model/settings.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** Starts a loop, unless the task is in somebody's hands already or the host is gone. */
export function beginLoop(state: State, event: Of<'task-claimed'>, stamp: Stamp): State {
  const host = state.hosts[event.host];
  const task = findTask(state, event.task);
  const held = openLoops(state).some((loop) => loop.task === event.task && isLive(loop));
  if (host == null || task == null || held || state.landed[event.task] != null || state.loops[event.loop] != null)
    return state;
  const again = event.again === true;
  const attempt = (state.attempts[event.task] ?? 0) + (again ? 0 : 1);
  const loop: Loop = {
    id: event.loop,
    task: event.task,
    title: task.title,
    group: task.group,
    attempt,
    branch: event.branch,
    target: host.policy.target,
    run: runName(state.run),
    agent: host.policy.agents[0]?.name ?? '',
    host: event.host,
    slot: event.slot,
    fence: stamp.seq,
    onto: event.onto,
    phase: { at: 'preparing' },
    since: stamp.at,
    claimedAt: stamp.at,
    worktree: null,
    worktreeState: 'none',
    base: null,
    baseTree: null,
    ...(state.integration === null ? {} : { begun: state.integration }),
    head: null,
    tree: null,
    ...UNWORKED,
    landings: 0,
    ...UNTOLD,
    place: host.policy.place,
    ...(again ? { isAgain: true } : {}),
  };
  return { ...withLoop(state, loop), attempts: withEntry(state.attempts, event.task, attempt) };
}

export function adopted(state: State, loop: Loop, event: Of<'loop-adopted'>, stamp: Stamp): Loop {
  const free = { waitsFor: null, hostDied: false };
  const held = { host: event.host, slot: event.slot, fence: stamp.seq };
  if (!isWorking(loop)) return { ...tryAgain(state, loop, stamp), ...held };
  const phase = loop.waitsFor === 'base' ? afterBase(state, loop, event.host) : loop.phase;
  return { ...loop, ...free, ...held, phase, since: stamp.at };
}

/** Main was red and is green now: it comes in first, and what was done by then is judged once more. */
function afterBase(state: State, loop: Loop, host: HostId): Phase {
  const { phase, iteration } = loop;
  const policy = state.hosts[host]?.policy;
  const isRed = policy !== undefined && redBase(state, policy) !== null;
  if (phase.at !== 'iterating' || isRed || !canUpdate(loop)) return phase;
  return { at: 'updating', n: wasClaimed(loop) ? iteration : phase.n };
}

const wasClaimed = ({ iteration, doneSaid, tree, baseTree }: Loop): boolean =>
  iteration > 0 && doneSaid === iteration && tree !== baseTree;

/** In a person's checkout nothing is merged behind their back. */
export const canUpdate = ({ place, worktree, lastOdd }: Loop): boolean =>
  place.at === 'worktree' && worktree !== null && !isHalfDone(lastOdd);

export function worktreeMade(loop: Loop, event: Of<'worktree-made'>, limits: LimitSettings, stamp: Stamp): Loop {
  if (loop.phase.at !== 'preparing') return loop;
  const made: Loop = {
    ...loop,
    since: stamp.at,
    branch: event.branch ?? loop.branch,
    worktree: event.path,
    worktreeState: 'made',
    base: loop.base ?? event.base,
    baseTree: loop.baseTree ?? event.baseTree,
    begun: loop.begun ?? loop.base ?? event.base,
    head: event.head,
    tree: event.tree,
    setupFailed: event.setup?.failed ?? null,
  };
  const ready = withinBudget(made, limits, stamp);
  // Sent back and then its worktree was lost: main still has to come in.
  if (ready.phase.at !== 'iterating' || !needsMain(loop)) return ready;
  return { ...ready, phase: { at: 'updating', n: ready.phase.n } };
}

/** What a person wants otherwise is changed where it stands: that it also fits is for the train to see. */
const needsMain = ({ rework }: Loop): boolean => rework !== null && rework.merged === null && rework.kind !== 'review';

export function worktreeLost(loop: Loop, stamp: Stamp): Loop {
  if (!isWorking(loop) || loop.phase.at === 'preparing') return loop;
  // A person's checkout is not ours to make again.
  if (loop.place.at === 'checkout') return park(loop, 'broken', `its checkout ${loop.place.path} is gone`, stamp);
  const lost: Loop = { ...loop, phase: { at: 'preparing' }, since: stamp.at, worktree: null, worktreeState: 'none' };
  return stoppedIfAsked(lost, stamp);
}

/** What comes after one run of the agent, for its loop, its account and the run's budget. */
export function endIteration(state: State, event: Of<'iteration-ended'>, stamp: Stamp): State {
  const loop = state.loops[event.loop];
  const host = loop?.host == null ? undefined : state.hosts[loop.host];
  if (loop == null || host == null || loop.fence !== event.fence) return state;
  if (loop.phase.at !== 'iterating' || loop.phase.n !== event.n) return state;
  const noted = noteSpending(noteAccount(state, event, stamp), event.usage, host.policy.budget);
  const strikes = accountOf(noted, event.account)?.strikes ?? 0;
  const isHeld = isHeldBack(noted, host.policy, loop);
  const after = afterIteration(state, loop, event, { limits: host.policy.limits, strikes, isHeld }, stamp);
  const next = stoppedIfOver(noted, updatedFirst(noted, host, releasedIfStuck(noted, host, after)), stamp);
  // The check of a stray has put back what it moved, so publishing may work again.
  if (event.breach !== null) noted.publishing = { ...noted.publishing, blocked: null };
  noted.loops = withEntry(noted.loops, loop.id, next);
  if (event.outcome === 'claimed' || event.outcome === 'worked') noted.callMs = sawCall(state.callMs, event.durationMs);
  return noted;
}

/** Main has moved on in a way that does not merge with this loop: better to know now than when it is done. */
export function updatedFirst(state: State, host: Host, loop: Loop): Loop {
  if (loop.phase.at !== 'iterating' || !canUpdate(loop)) return loop;
  const { n } = loop.phase;
  const meetsMain = (state.foreseen[loop.id] ?? []).some((one) => one.with === null);
  if (meetsMain || lacksGreenBase(state, host.policy, loop)) return { ...loop, phase: { at: 'updating', n } };
  // An iteration begins from the newest there is, unless that has to be mended first.
  const isStale = loop.rework === null && loop.counted > 0 && isBehind(state, loop);
  return isStale ? { ...loop, phase: { at: 'updating', n, onlyClean: true } } : loop;
}

/** The gates, another iteration, or the end by a stop rule. */
function afterIteration(
  state: State,
  loop: Loop,
  event: Of<'iteration-ended'>,
  { limits, strikes, isHeld }: { readonly limits: LimitSettings; readonly strikes: number; readonly isHeld: boolean },
  stamp: Stamp,
): Loop {
  const failed = isFailure(event.outcome) || (event.outcome === 'throttled' && strikes >= STRIKES_MAX);
  const after = counted(loop, event, failed, stamp);
  if (event.breach !== null) return park(after, 'tampered', describeBreach(event.breach), stamp);
  const claimed = event.outcome === 'claimed' || (event.outcome === 'worked' && loop.doneSaid === event.n);
  if (event.outcome === 'timed-out')
    return giveUp(after, 'runtime', `the agent was stopped after ${describeMs(limits.runtimeMs)}`, stamp);
  if (claimed && event.tree !== loop.baseTree && !isHalfDone(event.odd) && !isUntold(after))
    return toldOmitted(loop, after, limits, stamp) ?? { ...after, phase: { at: 'gating', n: event.n } };
  if (!claimed && loop.blockedWhy !== null) return park(after, 'blocked', loop.blockedWhy, stamp);
  if (isHeld) return withinBudget({ ...after, ...uncounted(loop) }, limits, stamp);
  if (!failed && countsForNothing(event.outcome)) return withinBudget(after, limits, stamp);
  if (!failed && event.tree === loop.baseTree && !isHalfDone(event.odd) && canWait(after))
    return afterIdleCall(state, loop, after, { event, limits, last: lastWords(event, failed) }, stamp);
  return nextIteration(after, limits, lastWords(event, failed), stamp);
}

interface IdleCall {
  readonly event: Of<'iteration-ended'>;
  readonly limits: LimitSettings;
  readonly last: string;
}

/**
 * Nothing was changed. What it needs may land yet: where it named that, or earlier tasks are open, it gives its slot back and
 * waits, which counts neither as an iteration nor as a lack of progress.
 */
function afterIdleCall(
  state: State,
  before: Loop,
  after: Draft<Loop>,
  { event, limits, last }: IdleCall,
  stamp: Stamp,
): Loop {
  const said = [...(before.lacks?.n === event.n ? before.lacks.tasks : []), ...(event.lacks ?? [])];
  after.idleCalls = (before.idleCalls ?? 0) + 1;
  after.tried = triedBy(state, before);
  const tasks = lackedBy(state, after, said);
  if (tasks.length > 0) after.hasNamed = true;
  const hasEarlier = hasEarlierOpen(state, after);
  const lack = tasks.length > 0 || hasEarlier ? describeLack(state, tasks) : 'other tasks to land';
  if (isUsedUp(after)) return park(after, 'no-progress', `waited for ${lack}`, stamp);
  if (tasks.length === 0 && !hasEarlier) return nextIteration(after, limits, last, stamp);
  const next = nextIteration({ ...after, ...uncounted(before) }, limits, '', stamp);
  return next.phase.at === 'parked' ? next : { ...next, host: null, phase: { at: 'waiting', tasks } };
}

/** Nothing comes any more that it could wait for. */
export function endWaiting(state: State, loop: Loop, stamp: Stamp): Loop {
  if (loop.phase.at !== 'waiting') return loop;
  return park(loop, 'no-progress', `waited for ${describeLack(state, loop.phase.tasks)}`, stamp);
}

/** Who claims to be done hears once what was left out of the commit, if there is an iteration left to hear it in. Null: the gates go on. */
function toldOmitted(loop: Loop, after: Loop, limits: LimitSettings, stamp: Stamp): Loop | null {
  if (after.omitted == null || loop.omitted != null) return null;
  const next = nextIteration({ ...after }, limits, '', stamp);
  return next.phase.at === 'parked' ? null : next;
}

export function describeBreach({ did, kept, restored }: Breach): string {
  const parts = [did.join('; ')];
  if (restored.length > 0) parts.push(`put back: ${restored.join(', ')}`);
  if (kept.length > 0) parts.push(`kept: ${kept.join(', ')}`);
  return parts.join('. ');
}

/** A person said something that no agent has heard: what is there cannot be what they want. */
export const isUntold = (loop: Loop): boolean => loop.guidance.length > 0;

export const isFailure = (outcome: IterationOutcome): boolean =>
  outcome === 'failed' || outcome === 'lost' || outcome === 'stalled';

/** The agent was not allowed to work, or was told to stop: no iteration, no failure, no attempt. */
const countsForNothing = (outcome: IterationOutcome): boolean =>
  outcome === 'interrupted' || outcome === 'limited' || outcome === 'throttled' || outcome === 'refused';

export function counted(loop: Loop, event: Of<'iteration-ended'>, failed: boolean, stamp: Stamp): Draft<Loop> {
  const moved = event.tree !== loop.tree;
  const counts = failed || !countsForNothing(event.outcome);
  // One by one: most of a long log is this event, and with so many fields a literal takes three times as long.
  const next: Draft<Loop> = { ...loop };
  next.agent = event.agent;
  next.head = event.head;
  next.tree = event.tree;
  next.since = stamp.at;
  next.iteration = event.n;
  next.counted = loop.counted + (counts ? 1 : 0);
  next.usedMs = loop.usedMs + event.durationMs;
  next.idleStreak = moved ? 0 : loop.idleStreak + (counts && !failed ? 1 : 0);
  next.failureStreak = failed ? loop.failureStreak + 1 : counts ? 0 : loop.failureStreak;
  next.lastSaid = event.said;
  next.lastOdd = event.odd;
  next.hookSlip = event.hookSlip ?? null;
  next.yours = event.yours ?? null;
  next.dropped = event.dropped ?? null;
  next.omitted = event.omitted ?? null;
  next.lastFailure = event.failure;
  next.usage = addUsage(loop.usage, event.usage);
  next.spends = withItem(loop.spends, { n: event.n, agent: event.agent, usage: event.usage }, SPENDS_MAX);
  if (counts && !failed && loop.base !== null) next.shown = loop.base;
  next.progress = null;
  next.blockedWhy = null;
  // Who could not work has heeded nothing: it is said again to the next one.
  next.guidance = counts && !failed ? loop.guidance.filter((one) => one.id > event.guided) : loop.guidance;
  return next;
}

/** What counts against a loop, as it was. */
const uncounted = ({ counted: before, idleStreak, failureStreak }: Loop) => ({
  counted: before,
  idleStreak,
  failureStreak,
});

/** The next iteration, though this one did not count: what it cost does. */
export function withinBudget(loop: Loop, limits: LimitSettings, stamp: Stamp): Loop {
  const spent = overspent(usedSince(loop), limits);
  return spent === null
    ? { ...loop, phase: { at: 'iterating', n: loop.iteration + 1 } }
    : park(loop, 'budget', spent, stamp);
}

/** A loop that no agent may go on with is nobody's, so that its host can end. */
export function releasedIfStuck(state: State, host: Host, loop: Loop): Loop {
  if (loop.phase.at !== 'iterating') return loop;
  if (state.run.overspent !== null) return { ...loop, host: null, waitsFor: 'budget' };
  if (isHeldBack(state, host.policy, loop)) return { ...loop, host: null, waitsFor: 'base' };
  return chooseAgent(state, agentsFor(state, host.policy, loop)).kind === 'shut'
    ? { ...loop, host: null, waitsFor: 'auth' }
    : loop;
}

/** A merge or rebase in the middle, work on another branch: what is on the branch is not what the agent means. */
const isHalfDone = (odd: string | null): boolean => odd !== null && odd !== 'embedded-repository';

function lastWords(event: Of<'iteration-ended'>, failed: boolean): string {
  if (event.failure !== null) return `${event.agent}: ${event.failure.message}`;
  if (failed) return `${event.agent} exited with ${event.exit ?? 'no code'}`;
  if (isHalfDone(event.odd)) return `the worktree was left half-done: ${event.odd}`;
  if (event.yours !== undefined) return `what it did to files of yours is not part of the work: ${event.yours}`;
  return event.dropped ?? event.omitted ?? '';
}

/** Takes a loop that nobody else has seen yet. */
export function nextIteration(loop: Draft<Loop>, limits: LimitSettings, last: string, stamp: Stamp): Loop {
  const also = last === '' ? '' : `; ${last}`;
  const spent = overspent(usedSince(loop), limits);
  if (spent !== null) return park(loop, 'budget', `${spent}${also}`, stamp);
  if (loop.failureStreak >= limits.consecutiveFailures)
    return giveUp(loop, 'failures', `${loop.failureStreak} failures in a row${also}`, stamp);
  if (loop.idleStreak >= limits.noProgress)
    return giveUp(loop, 'no-progress', `no change in ${howMany(loop.idleStreak, 'iteration')}${also}`, stamp);
  if (loop.counted - Math.max(loop.granted.counted, loop.rework?.countedBefore ?? 0) >= limits.iterations)
    return giveUp(loop, 'iterations', `not done after ${howMany(loop.counted, 'iteration')}${also}`, stamp);
  if (loop.usedMs - loop.granted.usedMs >= limits.runtimeMs)
    return giveUp(loop, 'runtime', `not done after ${describeMs(limits.runtimeMs)}${also}`, stamp);
  loop.phase = { at: 'iterating', n: loop.iteration + 1 };
  return loop;
}

/** Work that did not fit and could not be mended is put aside for what was wrong with it, not for how the mending ended. */
function giveUp(loop: Loop, reason: ParkReason, detail: string, stamp: Stamp): Loop {
  const { rework } = loop;
  if (rework === null) return park(loop, reason, detail, stamp);
  if (rework.kind === 'review') return park(loop, reason, `${detail}; ${rework.detail}`, stamp);
  const tried = { commit: loop.base, landings: 0 };
  return {
    ...park(
      loop,
      rework.kind === 'checks' ? 'pull-request' : rework.kind,
      `${rework.detail}; sent back to be mended: ${detail}`,
      stamp,
      rework.paths,
    ),
    tried,
  };
}

export function park(
  loop: Loop,
  reason: ParkReason,
  detail: string,
  stamp: Stamp,
  paths: readonly string[] = [],
): Loop {
  return { ...loop, host: null, stopping: false, phase: { at: 'parked', reason, detail, paths }, since: stamp.at };
}

/** Put aside because a person said so. What waited for its gates is judged by them when it goes on. */
export function parkStopped(loop: Loop, stamp: Stamp): Loop {
  const doneSaid = loop.phase.at === 'gating' ? loop.phase.n : loop.doneSaid;
  return { ...park(loop, 'stopped', 'a person stopped it', stamp), doneSaid };
}

/** Its iteration is over: asked to stop, or without a task, it gets no other one. */
function stoppedIfOver(state: State, loop: Loop, stamp: Stamp): Loop {
  const goesOn = ['iterating', 'updating', 'waiting'].includes(loop.phase.at);
  if (goesOn && isWithdrawn(state, loop)) return park(loop, 'stopped', describeWithdrawn(state, loop), stamp);
  return stoppedIfAsked(loop, stamp);
}

/** Its iteration is over. What else became of it goes before the wish that it stop. */
function stoppedIfAsked(loop: Loop, stamp: Stamp): Loop {
  return loop.stopping && (isWorking(loop) || loop.phase.at === 'waiting') ? parkStopped(loop, stamp) : loop;
}
