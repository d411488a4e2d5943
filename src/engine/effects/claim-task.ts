import type { Event } from '../../core/model/events.ts';
import type { LoopId } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import { trackerOf } from '../../core/model/tasks.ts';
import type { NotHeld } from '../../world/contract/tracker.ts';
import type { World } from '../../world/contract/world.ts';
import { holdOf } from './holds.ts';
import type { PerformContext } from './perform-context.ts';

/** Takes the task of a loop that is about to begin, where the tracker wants it to be taken. Not null: it cannot be had. */
export async function claimTask({ tracker }: World, state: State, loop: Loop): Promise<Event | null> {
  if (tracker.claims === undefined || trackerOf(state, loop.task) !== tracker.path) return null;
  const notHeld = await tracker.claims.claim(holdOf(state, loop));
  return notHeld === null ? null : lostEvent(loop, notHeld);
}

/** Loops that must not land: another has their task by now. */
export async function lostClaims({ world, state }: PerformContext, ids: readonly LoopId[]): Promise<readonly Event[]> {
  const { claims, path } = world.tracker;
  const now = state();
  const loops = ids
    .flatMap((id) => now.loops[id] ?? [])
    .filter((loop) => trackerOf(now, loop.task) === path && loop.isTwice !== true);
  if (claims === undefined || loops.length === 0) return [];
  const lost = await claims.check(loops.map((loop) => holdOf(now, loop)));
  return loops.flatMap((loop) => {
    const notHeld = lost.get(loop.id);
    return notHeld === undefined ? [] : [lostEvent(loop, notHeld)];
  });
}

export const lostEvent = ({ id: loop, fence }: Loop, { why, isFree }: NotHeld): Event => ({
  type: 'claim-lost',
  loop,
  fence,
  why,
  isFree,
});
