import { drafting, withLoop, withEntry } from '../loops/draft.ts';
import { resumeAccount } from '../loops/accounts.ts';
import { propose, applyLoopEvent } from './loop-events.ts';
import { applyHostEvent, setCrowd, unpaused } from './hosts.ts';
import { keepsChanged } from '../model/keeps.ts';
import { applyLandingEvent, withoutCar } from './land.ts';
import { beginDay } from '../model/project-limits.ts';
import { describeWithdrawn, isWithdrawn } from '../loops/withdrawn.ts';
import { park } from '../loops/loop.ts';
import { isLive, loopsOf } from '../model/model.ts';
import { isPullEvent } from '../model/pull-event.ts';
import { applyPullEvent } from '../pull/pull-events.ts';
import { UNTOLD, UNWORKED } from '../model/unworked.ts';
import { findTask, promptTracker } from '../model/tasks.ts';
import type { Draft } from '../loops/draft.ts';
import type { Event, Stamp } from '../model/events.ts';
import type { FoundLoop } from '../model/found-loop.ts';
import type { TaskKey } from '../model/ids.ts';
import type { State, Loop } from '../model/model.ts';
import { taskId, taskKey } from '../model/ids.ts';

export interface Facts extends Stamp {
  readonly events: readonly Event[];
}

/** The state after one more record. A fact that no longer fits (a stranger's, a late one) changes nothing. */
export function fold(state: State, record: Facts): State {
  let next = state;
  for (const event of record.events) next = apply(next, event, record);
  // What is not the state it was given was made here.
  const made: Draft<State> = next === state ? { ...state } : next;
  made.seq = record.seq;
  return made;
}

/** The state after all these records, as `fold` makes it one by one, but without a copy of every table for each of them. */
export function foldAll(state: State, records: readonly Facts[], one: typeof fold = fold): State {
  return drafting(() => records.reduce((so, record) => one(so, record), state));
}

function apply(state: State, event: Event, stamp: Stamp): State {
  if (isPullEvent(event)) return applyPullEvent(state, event, stamp);
  switch (event.type) {
    case 'host-joined':
    case 'host-draining':
    case 'host-ending':
    case 'host-left':
    case 'host-lost':
    case 'host-stopped':
    case 'host-woke':
      return applyHostEvent(state, event, stamp);
    case 'day-began':
      return beginDay(state, event.day, stamp.at);
    case 'disk-low':
    case 'disk-freed':
      return { ...state, disk: event.type === 'disk-freed' ? null : diskLow(event, stamp) };
    case 'run-paused':
      return state.pausedAt === undefined ? { ...state, pausedAt: stamp.at } : state;
    case 'run-unpaused':
      return unpaused(state);
    case 'workers-set':
      return setCrowd(state, event.max);
    case 'revert-made':
      return revertMade(state, event, stamp);
    case 'tasks-read':
      return readTasks(state, event, stamp);
    case 'task-closed':
      return closeTask(state, event.task);
    case 'task-reset':
    case 'claim-lost':
    case 'task-claimed':
    case 'loop-adopted':
    case 'loop-released':
    case 'worktree-made':
    case 'worktree-lost':
    case 'worktree-retired':
    case 'worktree-kept':
    case 'iteration-ended':
    case 'gates-ended':
    case 'main-merged':
    case 'loop-progressed':
    case 'loop-blocked':
    case 'loop-lacks':
    case 'loop-waited':
    case 'loop-done':
    case 'loop-steered':
    case 'loop-reviewed':
    case 'loop-discarded':
    case 'loop-restored':
    case 'loop-stopped':
    case 'loop-resumed':
      return applyLoopEvent(state, event, stamp);
    case 'command-failed':
      // A claim and a landing written in one record share a fence, so only the loop tells them apart.
      if (event.loop === null) return applyLandingEvent(state, event, stamp);
      return applyLoopEvent(state, { ...event, loop: event.loop }, stamp);
    case 'loops-found':
      return foundLoops(state, event.loops, stamp);
    case 'account-resumed':
      return resumeAccount(state, event);
    case 'conflicts-foreseen':
      return { ...state, foreseen: event.found };
    case 'task-proposed':
      return { ...state, proposals: propose(state.proposals, event, stamp) };
    case 'keeps-changed':
      return { ...state, keeps: keepsChanged(state.keeps, event) };
    default:
      // All that is left is about landing; the compiler knows.
      return applyLandingEvent(state, event, stamp);
  }
}

function readTasks(state: State, event: Extract<Event, { type: 'tasks-read' }>, stamp: Stamp): State {
  const { tracker, digest, tasks } = event;
  const upstream = event.upstream === undefined ? state.trackers[tracker]?.upstream : event.upstream;
  const read = upstream == null ? { digest, tasks } : { digest, tasks, upstream };
  return withoutWithdrawn({ ...state, trackers: { ...state.trackers, [tracker]: read } }, stamp);
}

/** Landed already as far as the log knows; else it was somebody else who closed it, and the list tells. */
function closeTask(state: State, task: TaskKey): State {
  const landed = state.landed[task];
  return landed === undefined
    ? state
    : { ...state, landed: { ...state.landed, [task]: { ...landed, isClosed: true } } };
}

/** A task that was taken out does not ride on, unless integration moves past its work right now, and its loop waits for nothing any more. */
function withoutWithdrawn(state: State, stamp: Stamp): State {
  const aboard = state.landing?.cars.flatMap(({ loop }) => (loop === null ? [] : (state.loops[loop] ?? []))) ?? [];
  const gone = aboard.filter((loop) => isWithdrawn(state, loop));
  let next = { ...state, landing: gone.reduce((landing, { id }) => withoutCar(landing, id), state.landing) };
  for (const loop of loopsOf(state))
    if (loop.phase.at === 'waiting' && isWithdrawn(state, loop))
      next = withLoop(next, park(loop, 'stopped', describeWithdrawn(state, loop), stamp));
  return next;
}

const diskLow = ({ freeMb, floorMb }: Extract<Event, { type: 'disk-low' }>, { at }: Stamp): State['disk'] => ({
  freeMb,
  floorMb,
  since: at,
});

/**
 * Takes in work that the log does not know. What is on a branch is judged by the gates first, and goes on from there, unless
 * its agent strayed: that waits for a person, whatever else is forgotten.
 */
function foundLoops(state: State, found: readonly FoundLoop[], stamp: Stamp): State {
  let next = state;
  for (const one of found) if (isNews(next, one)) next = takeIn(next, one, stamp);
  return next;
}

/** A task has one loop at a time, and what landed is not done again. */
function isNews(state: State, { loop, task }: FoundLoop): boolean {
  if (state.loops[loop] != null || state.landed[task] != null) return false;
  return !loopsOf(state).some((other) => other.task === task && isLive(other));
}

function takeIn(state: State, found: FoundLoop, stamp: Stamp): State {
  const { loop: id, task, title, attempt, branch, base, baseTree, head, tree, worktree } = found;
  // Nothing was done yet: there is nothing to judge.
  const hasWork = tree !== baseTree && worktree !== null;
  const loop: Loop = {
    id,
    task,
    title,
    group: findTask(state, task)?.group ?? null,
    attempt,
    branch,
    agent: '',
    host: null,
    slot: 0,
    fence: stamp.seq,
    onto: [],
    phase: hasWork ? { at: 'gating', n: 0 } : { at: 'preparing' },
    since: stamp.at,
    claimedAt: stamp.at,
    worktree,
    worktreeState: worktree === null ? 'none' : 'made',
    base,
    baseTree,
    head,
    tree,
    ...UNWORKED,
    // It may have landed without our knowing.
    landings: 1,
    ...UNTOLD,
    // Nobody gave it back, as far as anybody knows.
    hostDied: true,
  };
  const taken = found.tampered === undefined ? loop : park(loop, 'tampered', found.tampered, stamp);
  const attempts = { ...state.attempts, [task]: Math.max(attempt, state.attempts[task] ?? 0) };
  return { ...state, loops: { ...state.loops, [id]: taken }, attempts };
}

/** A commit that undoes a landing waits to land, as the work of a loop whose only task that is. Nobody has to approve it: a person made it. */
function revertMade(state: State, event: Extract<Event, { type: 'revert-made' }>, stamp: Stamp): State {
  const { loop: id, task: undone, commit, title, branch, base, baseTree, head, tree } = event;
  if (state.loops[id] !== undefined || state.landed[undone]?.commit !== commit) return state;
  const tracker = promptTracker(id);
  const own = taskId(id);
  const body = `Undo what landed as ${commit}, so that the gates pass without it. Keep what landed after it.`;
  const marks = { acceptance: [], group: null, deps: [], priority: null, status: 'open', blockedReason: null } as const;
  const loop: Loop = {
    id,
    task: taskKey(tracker, own),
    title,
    group: null,
    attempt: 1,
    branch,
    ...(state.target === null ? {} : { target: state.target }),
    agent: '',
    host: null,
    slot: 0,
    fence: stamp.seq,
    onto: [],
    phase: { at: 'ready', queued: true, readySeq: stamp.seq },
    since: stamp.at,
    claimedAt: stamp.at,
    worktree: null,
    worktreeState: 'none',
    base,
    baseTree,
    begun: base,
    head,
    tree,
    ...UNWORKED,
    landings: 0,
    ...UNTOLD,
    reviewed: { head, verdict: 'approved', at: stamp.at },
    reverts: { task: undone, commit },
  };
  const tasks = [{ id: own, title, body, line: 1, ...marks }];
  const trackers = withEntry(state.trackers, tracker, { digest: '', tasks });
  return withLoop({ ...state, trackers, attempts: withEntry(state.attempts, loop.task, 1) }, loop);
}
