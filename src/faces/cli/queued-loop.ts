import { AppError } from '../../core/errors.ts';
import { canBeQueued, landingQueue } from '../../core/landing-queue.ts';
import type { Loop, State } from '../../core/model.ts';
import { newestLoops } from '../../core/newest-loops.ts';
import { shellWord } from '../../core/remedy.ts';
import { taskIdOf } from '../../core/tasks.ts';
import { describePhase } from '../verbs/caller.ts';
import { findOne } from './find-one.ts';

/** The loop an id names, if it waits in the queue. */
export function requireQueued(state: State, id: string): Loop {
  const names = (loop: Loop): readonly string[] => [taskIdOf(state, loop.task), loop.id];
  const loop = findOne([...newestLoops(state).values()], names, id, 'task or loop', 'ralph queue');
  if (landingQueue(state).some((one) => one.id === loop.id)) return loop;
  const task = taskIdOf(state, loop.task);
  throw new AppError('E_USAGE', `${task} is not in the queue: ${describePhase(loop)}`, {
    remedy: canBeQueued(loop) ? `ralph land ${shellWord(task)}` : 'ralph queue',
  });
}
