import type { Event } from '../core/model/events.ts';
import type { Sha } from '../core/model/ids.ts';
import { standingOf, vouchedFor } from '../core/loops/integration-value.ts';
import type { HostPolicy, State } from '../core/model/model.ts';
import type { World } from '../world/contract/world.ts';
import { landingsOf } from './effects/find-landings.ts';

type Outside = Pick<World, 'integration' | 'worktrees'>;

/**
 * A log that knows of nothing, beside a history with landings or worktrees with work, was lost: that is taken up again. What
 * integration holds and nothing vouches for is tested first.
 */
export async function findLost(world: Outside, state: State, policy: HostPolicy): Promise<readonly Event[]> {
  const known = vouchedFor(state, policy.target);
  const isEmpty = Object.keys(state.loops).length + Object.keys(state.landed).length === 0;
  if (!isEmpty && known.head !== null) return [];
  const seen = await world.integration.seen(known);
  const standing = standingOf(known, seen);
  const unknown = known.head === null && seen.head !== null ? await doubt(world, seen.head, standing) : [];
  if (!isEmpty) return unknown;
  const from = standing === 'strange' ? await world.integration.targetHead() : seen.head;
  const landings = from === null ? null : await landingsOf(world, from);
  const found = await world.worktrees.found();
  // In this order: what landed is no longer work to go on with.
  return [
    ...(landings === null || landings.landings.length === 0 ? [] : [landings]),
    ...(found.length === 0 ? [] : [{ type: 'loops-found', loops: found } as const]),
    ...unknown,
  ];
}

/** A log that was lost does not say why it may be believed; the user's own commits need no reason. */
async function doubt(
  { integration }: Outside,
  head: Sha,
  standing: ReturnType<typeof standingOf>,
): Promise<readonly Event[]> {
  if (standing === 'users') return [{ type: 'integration-moved', head, users: true }];
  if (standing === 'landed') return [];
  const tree = await integration.treeOf(head).catch(() => null);
  return [tree === null ? { type: 'integration-intruded', head } : { type: 'integration-unknown', head, tree }];
}
