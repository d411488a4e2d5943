import { taskKey } from '../../../src/core/model/ids.ts';
import type { HostPolicy, Loop, State } from '../../../src/core/model/model.ts';
import { isLive, loopsOf } from '../../../src/core/model/model.ts';
import type { Task } from '../../../src/core/model/task.ts';

/** What waits for a person, however few attempts were made. */
const FOR_A_PERSON = ['tampered', 'discarded', 'ejected', 'stopped', 'duplicate'];

export const isQueued = (loop: Loop): boolean => loop.phase.at === 'ready' && loop.phase.queued;

/** Queued, and no person has to say anything first. */
export const landsByItself = (state: State, loop: Loop): boolean => isQueued(loop) && isListed(state, loop);

/** The tasks that nothing keeps from starting once no loop works, told without the scheduler. */
export function startableTasks(state: State, policy: Omit<HostPolicy, 'slots'>): readonly Task[] {
  const known = state.trackers[policy.tracker]?.tasks ?? [];
  const [live, over] = [loopsOf(state).filter(isLive), loopsOf(state).filter((loop) => !isLive(loop))];
  const newest = new Map([...over, ...live].map((loop) => [loop.task, loop]));
  const isMet = (dep: Task['id']): boolean => {
    const key = taskKey(policy.tracker, dep);
    const isDone = known.some((task) => task.id === dep && task.status === 'done');
    const isReady = policy.mergePolicy === 'manual' && newest.get(key)?.phase.at === 'ready';
    return isDone || state.landed[key] !== undefined || isReady;
  };
  return known.filter((task) => {
    const key = taskKey(policy.tracker, task.id);
    const loop = newest.get(key);
    const isSettled = state.landed[key] !== undefined || task.status === 'done' || task.status === 'blocked';
    if (isSettled || loop?.phase.at === 'ready' || loop?.phase.at === 'waiting') return false;
    const attempts = state.attempts[key] ?? 0;
    const asksAPerson = loop?.phase.at === 'parked' && FOR_A_PERSON.includes(loop.phase.reason);
    if (loop !== undefined && (attempts >= policy.limits.attempts || (attempts > 0 && asksAPerson))) return false;
    if (task.deps.some((dep) => !isMet(dep))) return false;
    const group = task.group ?? (policy.strategy === 'group' ? '' : null);
    return group === null || !loopsOf(state).some((other) => landsByItself(state, other));
  });
}

/** What was taken out of the list is not gone on with, unless a person asked for it by name. */
export const isListed = ({ trackers }: State, { task, isWanted }: Loop): boolean =>
  isWanted === true ||
  Object.entries(trackers).every(
    ([name, { tasks }]) => !task.startsWith(`${name}#`) || tasks.some(({ id }) => task === `${name}#${id}`),
  );
