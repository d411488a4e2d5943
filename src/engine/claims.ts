import type { Event } from '../core/events.ts';
import type { HostId, TaskKey } from '../core/ids.ts';
import { loopId, slug } from '../core/ids.ts';
import type { Plan } from '../core/schedule.ts';
import type { Ids } from '../world/world.ts';

/** Turns a plan into facts: each new loop gets a memorable id and a branch of the same name. */
export function claimEvents(plan: Plan, host: HostId, ids: Ids): readonly Event[] {
  const adopts = plan.adopts.map(({ loop, slot }): Event => ({ type: 'loop-adopted', loop, host, slot }));
  const starts = plan.starts.map(({ task, slot, onto }): Event => {
    const loop = loopId(`${slug(nameOf(task))}-${ids.suffix()}`);
    return { type: 'task-claimed', loop, task, host, slot, branch: `ralph/${loop}`, onto };
  });
  return [...adopts, ...starts];
}

const nameOf = (task: TaskKey): string => task.slice(task.indexOf('#') + 1);
