import type { Command } from '../../core/commands.ts';
import type { Event } from '../../core/events.ts';
import type { Sha } from '../../core/ids.ts';
import type { World } from '../../world/world.ts';
import type { PerformContext } from '../performer.ts';
import { findDuplicate } from './find-duplicate.ts';

type AdvanceIntegration = Extract<Command, { type: 'advance-integration' }>;

/**
 * Moves integration to a tested car if nobody moved it since; a lost race is normal. What failed may have moved
 * it before it failed, so it is asked a second time.
 */
export async function advanceIntegration(
  context: PerformContext,
  { fence, from, to }: AdvanceIntegration,
): Promise<readonly Event[]> {
  const { world } = context;
  if (await isOvertaken(context, from, to)) return [{ type: 'integration-contested', fence, now: from }];
  const move = { from, to, fence };
  const moved = await world.integration.advance(move).catch(() => world.integration.advance(move));
  if (moved.moved) return [{ type: 'integration-advanced', fence, commit: to }];
  return [{ type: 'integration-contested', fence, now: moved.now }];
}

/** Given back once for the same reason: where building anew does not see what was seen here, it lands. */
const overtaken = new WeakMap<World, Set<string>>();

/** The gates ran for a while, and another clone's landing of the same task came in: built anew, the second is left out. */
async function isOvertaken(context: PerformContext, from: Sha, to: Sha): Promise<boolean> {
  const { world, state } = context;
  const { landing, loops, targetHead: known, isTargetMoved } = state();
  const head = await world.integration.targetHead();
  const isMoved = head !== null && (head !== known || isTargetMoved === true);
  const cars = landing?.cars ?? [];
  const moving = cars.slice(0, cars.findIndex((car) => car.commit === to) + 1);
  for (const { loop: id } of moving) {
    const loop = id === null ? undefined : loops[id];
    const mark = `${id ?? ''} ${head ?? ''}`;
    if (loop === undefined || overtaken.get(world)?.has(mark) === true) continue;
    if ((await findDuplicate(context, { base: isMoved ? head : from, cars: [] }, loop)) === null) continue;
    // Cut short before, it may have moved already: then it has landed.
    if ((await world.integration.head()) !== from) return false;
    overtaken.set(world, (overtaken.get(world) ?? new Set()).add(mark));
    return true;
  }
  return false;
}
