import type { Event } from '../core/model/events.ts';
import type { HostId, LoopId } from '../core/model/ids.ts';
import { fillNames, loopId, slug } from '../core/model/ids.ts';
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
  const { place, branch: template } = state.hosts[host]?.policy ?? {};
  const given = place?.at === 'checkout' ? place.branch : null;
  const own = place?.at === 'checkout' ? undefined : template;
  const taken = new Set(own === undefined ? [] : loopsOf(state).map((loop) => loop.branch));
  const preparing = loopsOf(state).filter((loop) => loop.host === host && loop.phase.at === 'preparing').length;
  const starts = plan.starts
    .slice(0, Math.max(0, PREPARING_MAX - preparing))
    .map(({ task, slot, onto, again }): Event => {
      const loop = isPromptTask(task)
        ? promptLoopId(taskIdOf(state, task), ids)
        : freeLoopId(slug(taskIdOf(state, task)), ids);
      const branch =
        own === undefined ? branchOf(loop) : freeBranch(own, { task: taskIdOf(state, task), loop }, ids, taken);
      const more = again === true ? { again } : {};
      return { type: 'task-claimed', loop, task, host, slot, branch: given ?? branch, onto, ...more };
    });
  const over = plan.over.map((loop): Event => ({ type: 'loop-waited', loop }));
  return [...adopts, ...starts, ...over];
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

/** Nobody has so many branches of one name; below one that is in the way, none can be made. */
const NAMES_MAX = 1000;

/** A second attempt, or a branch that is there already, makes it the next number: none is ever moved. */
function freeBranch(
  template: string,
  { task, loop }: { readonly task: string; readonly loop: LoopId },
  ids: Ids,
  taken: Set<string>,
): string {
  const name = fillNames(template, { task, loop, repo: '' });
  for (let tries = 1; tries <= NAMES_MAX; tries += 1) {
    const branch = tries === 1 ? name : `${name}-${tries}`;
    if (taken.has(branch) || !ids.isFree(branch)) continue;
    taken.add(branch);
    return branch;
  }
  return branchOf(loop);
}

const branchOf = (loop: LoopId): string => `ralph/${loop}`;
