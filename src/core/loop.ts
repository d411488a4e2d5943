import { describeMs } from './describe-time.ts';
import type { Event, Stamp } from './events.ts';
import type { Loop, ParkReason, State } from './model.ts';
import { isLive, isWorking, loopsOf } from './model.ts';
import type { LimitSettings } from './settings.ts';
import { findTask } from './tasks.ts';
import { recordVerdict } from './verdicts.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** Starts a loop, unless the task is in somebody's hands already or the host is gone. */
export function beginLoop(state: State, event: Of<'task-claimed'>, stamp: Stamp): State {
  const host = state.hosts[event.host];
  const task = findTask(state, event.task);
  const held = loopsOf(state).some((loop) => loop.task === event.task && isLive(loop));
  if (host == null || task == null || held || state.landed[event.task] != null || state.loops[event.loop] != null)
    return state;
  const attempt = (state.attempts[event.task] ?? 0) + 1;
  const loop: Loop = {
    id: event.loop,
    task: event.task,
    title: task.title,
    group: task.group,
    attempt,
    branch: event.branch,
    agent: host.policy.agent,
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
    head: null,
    tree: null,
    iteration: 0,
    counted: 0,
    usedMs: 0,
    idleStreak: 0,
    failureStreak: 0,
    lastSaid: '',
    lastGate: null,
    lastOdd: null,
    landings: 0,
  };
  return {
    ...state,
    loops: { ...state.loops, [loop.id]: loop },
    attempts: { ...state.attempts, [event.task]: attempt },
  };
}

export function adopted(loop: Loop, event: Of<'loop-adopted'>, stamp: Stamp): Loop {
  return { ...loop, host: event.host, slot: event.slot, fence: stamp.seq, since: stamp.at };
}

export function worktreeMade(loop: Loop, event: Of<'worktree-made'>, stamp: Stamp): Loop {
  if (loop.phase.at !== 'preparing') return loop;
  return {
    ...loop,
    phase: { at: 'iterating', n: loop.iteration + 1 },
    since: stamp.at,
    worktree: event.path,
    worktreeState: 'made',
    base: loop.base ?? event.base,
    baseTree: loop.baseTree ?? event.baseTree,
    head: event.head,
    tree: event.tree,
  };
}

export function worktreeLost(loop: Loop, stamp: Stamp): Loop {
  if (!isWorking(loop) || loop.phase.at === 'preparing') return loop;
  return { ...loop, phase: { at: 'preparing' }, since: stamp.at, worktree: null, worktreeState: 'none' };
}

/** What comes after one run of the agent: the gates, another iteration, or the end by a stop rule. */
export function endIteration(loop: Loop, event: Of<'iteration-ended'>, limits: LimitSettings, stamp: Stamp): Loop {
  if (loop.phase.at !== 'iterating' || loop.phase.n !== event.n) return loop;
  const moved = event.tree !== loop.tree;
  const failed = event.outcome === 'failed' || event.outcome === 'lost';
  const counts = event.outcome !== 'interrupted';
  const after: Loop = {
    ...loop,
    head: event.head,
    tree: event.tree,
    since: stamp.at,
    iteration: event.n,
    counted: loop.counted + (counts ? 1 : 0),
    usedMs: loop.usedMs + event.durationMs,
    idleStreak: moved ? 0 : loop.idleStreak + (counts && !failed ? 1 : 0),
    failureStreak: failed ? loop.failureStreak + 1 : counts ? 0 : loop.failureStreak,
    lastSaid: event.said,
    lastOdd: event.odd,
  };
  if (event.outcome === 'timed-out')
    return park(after, 'runtime', `the agent was stopped after ${describeMs(limits.runtimeMs)}`, stamp);
  if (event.outcome === 'claimed' && event.tree !== loop.baseTree && !isHalfDone(event.odd))
    return { ...after, phase: { at: 'gating', n: event.n } };
  if (event.outcome === 'interrupted') return { ...after, phase: { at: 'iterating', n: event.n + 1 } };
  return nextIteration(after, limits, lastWords(event, failed), stamp);
}

/** A merge or rebase in the middle, work on another branch: what is on the branch is not what the agent means. */
const isHalfDone = (odd: string | null): boolean => odd !== null && odd !== 'embedded-repository';

function lastWords(event: Of<'iteration-ended'>, failed: boolean): string {
  if (failed) return `the agent exited with ${event.exit ?? 'no code'}`;
  return isHalfDone(event.odd) ? `the worktree was left half-done: ${event.odd}` : '';
}

/** Green gates make a loop ready; red ones are what its next iteration is about. */
export function endGates(state: State, event: Of<'gates-ended'>, stamp: Stamp): State {
  const loop = state.loops[event.loop];
  const host = loop?.host == null ? undefined : state.hosts[loop.host];
  if (loop == null || host == null || loop.fence !== event.fence) return state;
  if (loop.phase.at !== 'gating' || loop.phase.n !== event.n) return state;
  const judged: Loop = {
    ...loop,
    head: event.head,
    tree: event.tree,
    since: stamp.at,
    usedMs: loop.usedMs + event.durationMs,
    lastGate: event.report,
  };
  const after: Loop =
    event.report.verdict === 'green'
      ? {
          ...judged,
          host: null,
          phase: { at: 'ready', queued: host.policy.mergePolicy === 'auto_merge', readySeq: stamp.seq },
        }
      : nextIteration(judged, host.policy.limits, `gate still fails: ${event.report.failing ?? ''}`, stamp);
  const known = recordVerdict(state, host.policy.gatesHash, event.tree, event.report.verdict);
  return { ...known, loops: { ...known.loops, [loop.id]: after } };
}

function nextIteration(loop: Loop, limits: LimitSettings, last: string, stamp: Stamp): Loop {
  const also = last === '' ? '' : `; ${last}`;
  if (loop.failureStreak >= limits.consecutiveFailures)
    return park(loop, 'failures', `${loop.failureStreak} failures in a row${also}`, stamp);
  if (loop.idleStreak >= limits.noProgress)
    return park(loop, 'no-progress', `no change in ${loop.idleStreak} iterations${also}`, stamp);
  if (loop.counted >= limits.iterations)
    return park(loop, 'iterations', `not done after ${loop.counted} iterations${also}`, stamp);
  if (loop.usedMs >= limits.runtimeMs)
    return park(loop, 'runtime', `not done after ${describeMs(limits.runtimeMs)}${also}`, stamp);
  return { ...loop, phase: { at: 'iterating', n: loop.iteration + 1 } };
}

export function park(
  loop: Loop,
  reason: ParkReason,
  detail: string,
  stamp: Stamp,
  paths: readonly string[] = [],
): Loop {
  return { ...loop, host: null, phase: { at: 'parked', reason, detail, paths }, since: stamp.at };
}
