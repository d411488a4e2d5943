import type { Event } from '../../../core/model/events.ts';
import type { LoopId } from '../../../core/model/ids.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { newestLoops } from '../../../core/plan/newest-loops.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { requireAct } from '../../../core/views/acts.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { findOne } from '../find-one.ts';
import { writeFacts } from '../write-facts.ts';

export interface QueueActed {
  readonly task: string;
  readonly loop: LoopId;
  readonly branch: string;
}

/** The loop boards first. A train that has begun without it is built anew. */
export const bumpLoop = (repo: Repository, id: string): Promise<QueueActed> => actInQueue(repo, id, 'bump');

/** Takes a loop out of the queue; its branch is kept. */
export const ejectLoop = (repo: Repository, id: string): Promise<QueueActed> => actInQueue(repo, id, 'eject');

async function actInQueue(repo: Repository, id: string, act: 'bump' | 'eject'): Promise<QueueActed> {
  const state = await writeFacts(repo, async (now): Promise<readonly Event[]> => {
    const loop = findWaiting(now, id);
    requireAct(now, loop, act);
    return [{ type: act === 'bump' ? 'loop-bumped' : 'loop-ejected', loop: loop.id }];
  });
  const { id: loop, task, branch } = findWaiting(state, id);
  return { task: taskIdOf(state, task), loop, branch };
}

function findWaiting(state: State, id: string): Loop {
  const names = (loop: Loop): readonly string[] => [taskIdOf(state, loop.task), loop.id];
  return findOne([...newestLoops(state).values()], names, id, 'task or loop', 'ralph queue');
}

/** Nothing lands until the queue is let go, and loops go on working. Resolves with the state before. */
export const pauseQueue = (repo: Repository): Promise<State> =>
  writeFacts(repo, async (state) => (state.queuePaused ? [] : [{ type: 'queue-paused' }]));

export const resumeQueue = (repo: Repository): Promise<State> =>
  writeFacts(repo, async (state) => (state.queuePaused ? [{ type: 'queue-resumed' }] : []));
