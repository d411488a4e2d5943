import type { Event } from '../core/model/events.ts';
import type { HostId, LoopId } from '../core/model/ids.ts';
import { loopId, slug } from '../core/model/ids.ts';
import type { State } from '../core/model/model.ts';
import { loopsOf } from '../core/model/model.ts';
import type { Plan } from '../core/plan/schedule.ts';
import { isPromptTask, taskIdOf } from '../core/model/tasks.ts';
import type { Ids } from '../world/contract/world.ts';

/** A task is claimed when its worktree can be made now: the rest stays free for other hosts. */
const PREPARING_MAX = 4;

/** Turns a plan into facts: each new loop gets a memorable id and a branch of the same name. */
export function claimEvents(state: State, plan: Plan, host: HostId, ids: Ids): readonly Event[] {
  const adopts = plan.adopts.map(({ loop, slot }): Event => ({ type: 'loop-adopted', loop, host, slot }));
  const place = state.hosts[host]?.policy.place;
  const given = place?.at === 'checkout' ? place.branch : null;
  const preparing = loopsOf(state).filter((loop) => loop.host === host && loop.phase.at === 'preparing').length;
  const starts = plan.starts.slice(0, Math.max(0, PREPARING_MAX - preparing)).map(({ task, slot, onto }): Event => {
    const loop = isPromptTask(task)
      ? promptLoopId(taskIdOf(state, task), ids)
      : freeLoopId(slug(taskIdOf(state, task)), ids);
    return { type: 'task-claimed', loop, task, host, slot, branch: given ?? branchOf(loop), onto };
  });
  return [...adopts, ...starts];
}

/** A prompt's id was made unique when it was given, and is what people were told. */
function promptLoopId(task: string, ids: Ids): LoopId {
  const id = loopId(task);
  return ids.isFree(branchOf(id)) ? id : freeLoopId(slug(task), ids);
}

function freeLoopId(name: string, ids: Ids): LoopId {
  for (;;) {
    const id = loopId(`${name}-${ids.suffix()}`);
    if (ids.isFree(branchOf(id))) return id;
  }
}

const branchOf = (loop: LoopId): string => `ralph/${loop}`;
