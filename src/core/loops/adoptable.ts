import { agentsFor, chooseAgent } from './accounts.ts';
import type { Host, Loop, State } from '../model/model.ts';
import { fitsAll } from '../model/filters.ts';
import { reachedLimit } from '../model/project-limits.ts';
import { findTask } from '../model/tasks.ts';
import { isWithdrawn } from './withdrawn.ts';

/** Whether a host may go on with a loop that nobody holds: it is one of its tasks, and what it waited for is over. */
export function canAdopt(state: State, { policy }: Host, loop: Loop): boolean {
  if (!loop.task.startsWith(`${policy.tracker}#`) || (policy.only ?? loop.id) !== loop.id) return false;
  if (isWithdrawn(state, loop) || reachedLimit(state, policy.project) !== null) return false;
  if (loop.waitsFor === 'budget' && state.run.overspent !== null) return false;
  if (loop.waitsFor === 'auth' && chooseAgent(state, agentsFor(policy, loop)).kind === 'shut') return false;
  const { choice = [] } = policy;
  const task = choice.length === 0 ? null : findTask(state, loop.task);
  return choice.length === 0 || (task !== null && fitsAll(choice, task));
}
