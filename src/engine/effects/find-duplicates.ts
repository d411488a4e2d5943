import type { LoopId, Sha } from '../../core/model/ids.ts';
import type { Loop } from '../../core/model/model.ts';
import { loopsOf } from '../../core/model/model.ts';
import { isPromptTask, taskIdOf, trackerOf } from '../../core/model/tasks.ts';
import type { PerformContext } from './perform-context.ts';

export interface Done {
  readonly where: string;
  /** The landing that did it; null: only its tick tells. */
  readonly commit: Sha | null;
}

/** Where others may have done a task. */
export interface Others {
  /** The history to look at; null: nobody but us moved it. */
  readonly to: Sha | null;
  /** What was looked at before. */
  readonly known: Sha | null;
}

/** A person may have merged the branch itself, tick and all. */
async function isOwn({ world, loop, to }: Pick<PerformContext, 'world'> & { loop: Loop; to: Sha }): Promise<boolean> {
  const { id, head, base } = loop;
  return head !== null && (await world.integration.findLanded({ head, loop: id, base, integration: to })) !== null;
}

/** The loops whose task another clone, or a person, has done since they began, and where. What landed here counts elsewhere. */
export async function findDuplicates(
  context: PerformContext,
  ids: readonly LoopId[],
  { to, known }: Others,
): Promise<ReadonlyMap<LoopId, Done>> {
  const { world } = context;
  const state = context.state();
  const loops = ids.flatMap((id) => state.loops[id] ?? []).filter((loop) => isOnce(context, loop));
  const found = new Map<LoopId, Done>();
  // As it is now: it may have been fetched since the last look.
  const now = loops.length === 0 ? null : await world.tracker.upstream?.();
  const asked: { loop: Loop; from: Sha }[] = [];
  for (const loop of loops) {
    const tracker = trackerOf(state, loop.task);
    const there = tracker === world.tracker.path ? now : state.trackers[tracker]?.upstream;
    const from = loop.begun ?? loop.base;
    if (there?.done.includes(taskIdOf(state, loop.task)) === true)
      found.set(loop.id, { where: there.name, commit: null });
    else if (from !== null && from !== to) asked.push({ loop, from });
  }
  if (to === null || asked.length === 0) return found;
  const answers = await world.integration.doneSince({
    to,
    known,
    tasks: asked.map(({ loop: { task }, from }) => ({
      from,
      tracker: trackerOf(state, task),
      task: taskIdOf(state, task),
    })),
    own: loopsOf(state).flatMap(({ phase, head }) => (phase.at === 'landed' && head !== null ? [head] : [])),
    isOurs: (id) => state.loops[id] !== undefined,
  });
  for (const [index, { loop }] of asked.entries()) {
    const answer = answers[index] ?? null;
    if (answer === null || (await isOwn({ world, loop, to }))) continue;
    found.set(loop.id, { where: world.integration.target, commit: answer.commit });
  }
  return found;
}

/** A person may want it twice; and what landed from here is known. */
export function isOnce({ state }: PerformContext, { isTwice, task }: Loop): boolean {
  return isTwice !== true && !isPromptTask(task) && state().landed[task] == null;
}
