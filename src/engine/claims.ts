import type { Event } from '../core/events.ts';
import type { HostId, LoopId, TaskKey } from '../core/ids.ts';
import { loopId, slug } from '../core/ids.ts';
import type { Plan } from '../core/schedule.ts';
import type { Ids } from '../world/world.ts';

/** Turns a plan into facts: each new loop gets a memorable id and a branch of the same name. */
export function claimEvents(plan: Plan, host: HostId, ids: Ids): readonly Event[] {
  const adopts = plan.adopts.map(({ loop, slot }): Event => ({ type: 'loop-adopted', loop, host, slot }));
  const starts = plan.starts.map(({ task, slot, onto }): Event => {
    const loop = freeLoopId(slug(nameOf(task)), ids);
    return { type: 'task-claimed', loop, task, host, slot, branch: branchOf(loop), onto };
  });
  return [...adopts, ...starts];
}

function freeLoopId(name: string, ids: Ids): LoopId {
  for (;;) {
    const id = loopId(`${name}-${ids.suffix()}`);
    if (ids.isFree(branchOf(id))) return id;
  }
}

const branchOf = (loop: LoopId): string => `ralph/${loop}`;

const nameOf = (task: TaskKey): string => task.slice(task.indexOf('#') + 1);
