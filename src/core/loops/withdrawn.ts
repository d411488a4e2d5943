import type { Loop, State, Host } from '../model/model.ts';
import { findTask, isPromptTask, trackerOf } from '../model/tasks.ts';
import { agentsFor, chooseAgent } from './accounts.ts';
import { fitsAll } from '../model/filters.ts';
import { reachedLimit } from '../model/project-limits.ts';

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

/** Whether a host may go on with a loop that nobody holds: it is one of its tasks, and what it waited for is over. */
export function canAdopt(state: State, { policy }: Host, loop: Loop): boolean {
  if (!loop.task.startsWith(`${policy.tracker}#`) || (policy.only ?? loop.id) !== loop.id) return false;
  if (isWithdrawn(state, loop) || reachedLimit(state, policy.project) !== null) return false;
  if (loop.waitsFor === 'budget' && state.run.overspent !== null) return false;
  if (loop.waitsFor === 'auth' && chooseAgent(state, agentsFor(state, policy, loop)).kind === 'shut') return false;
  const { choice = [] } = policy;
  const task = choice.length === 0 ? null : findTask(state, loop.task);
  return choice.length === 0 || (task !== null && fitsAll(choice, task));
}
