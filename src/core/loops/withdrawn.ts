import type { Loop, State } from '../model/model.ts';
import { findTask, isPromptTask, trackerOf } from '../model/tasks.ts';

/** Its task was taken out of the list since it began: what it made lands when a person says so, and not by itself. */
export function isWithdrawn(state: State, { task, isWanted }: Pick<Loop, 'task' | 'isWanted'>): boolean {
  if (isWanted === true || isPromptTask(task)) return false;
  return state.trackers[trackerOf(state, task)] !== undefined && findTask(state, task) === null;
}

/** What a person asks for by name goes on as it is. */
export const wantedBy = (state: State, loop: Loop): Pick<Loop, 'isWanted'> =>
  isWithdrawn(state, loop) ? { isWanted: true } : {};

export const describeWithdrawn = (state: State, { task }: Pick<Loop, 'task'>): string =>
  `its task is no longer in ${trackerOf(state, task)}`;
