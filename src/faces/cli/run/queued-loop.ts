import { AppError } from '../../../core/model/errors.ts';
import { canBeQueued, landingQueue } from '../../../core/loops/landing-queue.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { newestLoops } from '../../../core/plan/newest-loops.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { describePhase } from '../../verbs/caller.ts';
import { findOne } from '../../call/find-one.ts';

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
