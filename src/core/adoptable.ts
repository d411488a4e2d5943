import { agentsFor, chooseAgent } from './accounts.ts';
import type { Host, Loop, State } from './model.ts';
import { findTask, isChosen } from './tasks.ts';

/** Whether a host may go on with a loop that nobody holds: it is one of its tasks, and what it waited for is over. */
export function canAdopt(state: State, { policy }: Host, loop: Loop): boolean {
  if (!loop.task.startsWith(`${policy.tracker}#`) || (policy.only ?? loop.id) !== loop.id) return false;
  if (loop.waitsFor === 'budget' && state.run.overspent !== null) return false;
  if (loop.waitsFor === 'auth' && chooseAgent(state, agentsFor(policy, loop)).kind === 'shut') return false;
  const task = policy.choice === undefined ? null : findTask(state, loop.task);
  return policy.choice === undefined || (task !== null && isChosen(policy.choice, task));
}
