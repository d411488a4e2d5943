import type { Loop, State } from '../../../core/model/model.ts';
import { newestLoops } from '../../../core/plan/newest-loops.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { requireAct } from '../../../core/views/acts.ts';
import { findOne } from '../../call/find-one.ts';

/** The loop an id names, if it waits in the queue. */
export function requireQueued(state: State, id: string, act: 'bump' | 'eject'): Loop {
  const names = (loop: Loop): readonly string[] => [taskIdOf(state, loop.task), loop.id];
  const loop = findOne([...newestLoops(state).values()], names, id, 'task or loop', 'ralph queue');
  requireAct(state, loop, act);
  return loop;
}
