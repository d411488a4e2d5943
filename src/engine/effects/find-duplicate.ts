import type { Sha } from '../../core/ids.ts';
import type { Car, Loop } from '../../core/model.ts';
import { loopsOf } from '../../core/model.ts';
import { isPromptTask, taskIdOf, trackerOf } from '../../core/tasks.ts';
import type { PerformContext } from '../performer.ts';

export interface Done {
  readonly where: string;
  /** The landing that did it; null: only its tick tells. */
  readonly commit: Sha | null;
}

/** A person may have merged the branch itself, tick and all. */
async function isOwn({ world, loop, to }: Pick<PerformContext, 'world'> & { loop: Loop; to: Sha }): Promise<boolean> {
  const { id, head, base } = loop;
  return head !== null && (await world.integration.findLanded({ head, loop: id, base, integration: to })) !== null;
}

/** Where another clone, or a person, has done the task of a loop since it began; null: nobody has. What landed here counts elsewhere. */
export async function findDuplicate(
  { world, state: stateNow }: PerformContext,
  { base, cars }: { readonly base: Sha; readonly cars: readonly Car[] },
  loop: Loop,
): Promise<Done | null> {
  const state = stateNow();
  if (loop.isTwice === true || isPromptTask(loop.task) || state.landed[loop.task] != null) return null;
  const tracker = trackerOf(state, loop.task);
  const task = taskIdOf(state, loop.task);
  // As it is now: it may have been fetched since the last look.
  const there = tracker === world.tracker.path ? await world.tracker.upstream?.() : state.trackers[tracker]?.upstream;
  if (there?.done.includes(task) === true) return { where: there.name, commit: null };
  const merged = cars.find((car) => car.loop === null)?.commit ?? null;
  const from = loop.begun ?? loop.base;
  // Only we moved integration since: what is ticked on it, the log knows.
  const isAlone = merged === null && base === state.integration && state.isTargetMoved !== true;
  if (from === null || from === base || isAlone) return null;
  const to = merged ?? base;
  const found = await world.integration.doneSince({
    from,
    to,
    tracker,
    task,
    own: loopsOf(state).flatMap(({ phase, head }) => (phase.at === 'landed' && head !== null ? [head] : [])),
    isOurs: (id) => state.loops[id] !== undefined,
  });
  if (found === null || (await isOwn({ world, loop, to }))) return null;
  return { where: world.integration.target, commit: found.commit };
}
