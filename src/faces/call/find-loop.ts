import type { Loop, State } from '../../core/model/model.ts';
import { loopsOf } from '../../core/model/model.ts';
import { newestLoops } from '../../core/plan/newest-loops.ts';
import { taskIdOf } from '../../core/model/tasks.ts';
import { findOne } from './find-one.ts';

/** The loop an id names: its own id, or the id of a task, which stands for its newest loop. A unique beginning will do. */
export function findLoop(state: State, id: string): Loop {
  const exact = loopsOf(state).find((loop) => loop.id === id);
  if (exact !== undefined) return exact;
  const newest = [...newestLoops(state).values()];
  const byTask = newest.filter((loop) => taskIdOf(state, loop.task).startsWith(id));
  // A loop's id begins like its task's: the older loops of one task must not make the task ambiguous.
  if (byTask.length > 0) return findOne(byTask, (loop) => [taskIdOf(state, loop.task)], id, WHAT, REMEDY);
  return findOne(loopsOf(state), (loop) => [loop.id, taskIdOf(state, loop.task)], id, WHAT, REMEDY);
}

const WHAT = 'task or loop with work';
const REMEDY = 'ralph loops --all';
