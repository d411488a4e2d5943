import type { Command } from '../../core/model/commands.ts';
import type { Event } from '../../core/model/events.ts';
import type { LoopId, Sha } from '../../core/model/ids.ts';
import { knownOf, standingOf } from '../../core/loops/integration-value.ts';
import type { State } from '../../core/model/model.ts';
import type { World } from '../../world/contract/world.ts';
import { lostClaims } from './claim-task.ts';
import type { PerformContext } from './perform-context.ts';
import { findDuplicates } from './find-duplicates.ts';

type AdvanceIntegration = Extract<Command, { type: 'advance-integration' }>;

/**
 * Moves integration to a tested car if nobody moved it since; a lost race is normal. What failed may have moved
 * it before it failed, so it is asked a second time.
 */
export async function advanceIntegration(
  context: PerformContext,
  { fence, from, to }: AdvanceIntegration,
): Promise<readonly Event[]> {
  const { world, state } = context;
  const lost = await lostClaims(context, movingWith(state(), to));
  const isLost = lost.length > 0 && (await world.integration.seen(knownOf(state()))).head === from;
  if (isLost) return [{ type: 'integration-contested', fence, now: from }, ...lost];
  if (await isOvertaken(context, from, to)) return [{ type: 'integration-contested', fence, now: from }];
  const { integration } = world;
  const move = { from, to, fence };
  const moved = await integration.advance(move).catch(() => integration.advance(move).catch(failed));
  if ('moved' in moved && moved.moved) return [{ type: 'integration-advanced', fence, commit: to }];
  const known = knownOf(state());
  const seen = await integration.seen(known);
  const standing = standingOf(known, seen);
  if (standing === 'strange' || seen.head === null) return [{ type: 'integration-intruded', head: seen.head }];
  if ('why' in moved) throw moved.why;
  const users = standing === 'users' ? { users: true as const } : {};
  return [{ type: 'integration-contested', fence, now: seen.head, ...users }];
}

/** What was made of the ref may be why it cannot be moved. */
const failed = (why: unknown): { readonly why: unknown } => ({ why });

/** Given back once for the same reason: where building anew does not see what was seen here, it lands. */
const overtaken = new WeakMap<World, Set<string>>();

/** The loops that land when integration moves there. */
function movingWith({ landing }: State, to: Sha): readonly LoopId[] {
  const cars = landing?.cars ?? [];
  return cars.slice(0, cars.findIndex((car) => car.commit === to) + 1).flatMap(({ loop }) => loop ?? []);
}

/** The gates ran for a while, and another clone's landing of the same task came in: built anew, the second is left out. */
async function isOvertaken(context: PerformContext, from: Sha, to: Sha): Promise<boolean> {
  const { world, state } = context;
  const { landing, targetHead, isTargetMoved } = state();
  const head = await world.integration.targetHead();
  const isMoved = head !== null && (head !== targetHead || isTargetMoved === true);
  const cars = landing?.cars ?? [];
  const moving = movingWith(state(), to);
  const seen = overtaken.get(world) ?? new Set();
  const markOf = (id: LoopId): string => `${id} ${head ?? ''}`;
  const asked = moving.filter((id) => !seen.has(markOf(id)));
  // What was there when the train was built was looked at then.
  const known = cars.find((car) => car.loop === null)?.commit ?? from;
  const found = await findDuplicates(context, asked, { to: isMoved ? head : null, known });
  // Cut short before, it may have moved already: then it has landed.
  if (found.size === 0 || (await world.integration.seen(knownOf(state()))).head !== from) return false;
  overtaken.set(world, new Set([...seen, ...[...found.keys()].map(markOf)]));
  return true;
}
