import { leaderOf } from '../../core/fold/hosts.ts';
import type { HostId, TaskId } from '../../core/model/ids.ts';
import { taskKey } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import { isLive, loopsOf } from '../../core/model/model.ts';
import type { Task } from '../../core/model/task.ts';
import { findTask, taskIdOf, trackerOf } from '../../core/model/tasks.ts';
import type { Closing, Found, Hold, TaskPhase } from '../../world/contract/tracker.ts';

/** The task as its loop has it, by the name the tracker knows. */
export function holdOf(state: State, { id, task, run, branch, attempt, pull }: Loop): Hold {
  const number = pull?.number ?? null;
  const hold = { task: taskIdOf(state, task), loop: id, actor: `${run ?? 'run'}/${id}`, branch, attempt };
  return number === null ? hold : { ...hold, pull: number };
}

export function phaseOf({ phase, pull }: Loop): TaskPhase {
  switch (phase.at) {
    case 'preparing':
      return 'spawned';
    case 'ready':
      return 'committed';
    case 'reviewing':
      return (pull?.number ?? null) === null ? 'committed' : 'pr_created';
    case 'landed':
      return 'merged';
    default:
      return 'working';
  }
}

/** A landed task and the loop by which it landed. One that another clone landed is for that one to close. */
export function closingOf(state: State, tracker: string, task: TaskId): readonly Closing[] {
  const landed = state.landed[taskKey(tracker, task)];
  if (landed === undefined || landed.isClosed === true) return [];
  const loop = state.loops[landed.loop];
  const hold: Hold =
    loop === undefined
      ? { task, loop: landed.loop, actor: `run/${landed.loop}`, branch: '', attempt: 1 }
      : holdOf(state, loop);
  const target = loop?.target ?? 'main';
  return [{ hold, reason: `Landed on ${target} as ${landed.commit}` }];
}

interface OfTracker {
  readonly loop: Loop;
  readonly task: Task | null;
}

/** Loops of a tracker that this host speaks for: its own, and those of nobody where it leads. A claim comes with the worktree. */
export function underWay(state: State, tracker: string, me: HostId): readonly OfTracker[] {
  const leads = leaderOf(state) === me;
  return loopsOf(state).flatMap((loop) => {
    if (!isLive(loop) || loop.phase.at === 'preparing' || trackerOf(state, loop.task) !== tracker) return [];
    const isHosted = loop.host !== null && state.hosts[loop.host] !== undefined;
    const isMine = isHosted ? loop.host === me : leads;
    return isMine ? [{ loop, task: findTask(state, loop.task) }] : [];
  });
}

/** Loops that nobody goes on with, unless a person says so; their task is not in another loop's hands. */
export function leftBehind(state: State, tracker: string): readonly (OfTracker & { readonly why: string })[] {
  return loopsOf(state).flatMap((loop) => {
    const { phase } = loop;
    if (phase.at !== 'parked' || trackerOf(state, loop.task) !== tracker) return [];
    return [{ loop, task: findTask(state, loop.task), why: `${phase.reason}: ${phase.detail}` }];
  });
}

/** What loops of a tracker found, with a mark of its own for each. */
export function foundIn(state: State, tracker: string): readonly Found[] {
  return state.proposals.flatMap(({ loop: id, title, body, at }) => {
    const loop = state.loops[id];
    if (loop === undefined || trackerOf(state, loop.task) !== tracker) return [];
    return [{ mark: `ralph-${id}-${at.toString(36)}`, title, body, from: taskIdOf(state, loop.task) }];
  });
}
