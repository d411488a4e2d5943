import type { Event } from '../core/events.ts';
import type { Sha } from '../core/ids.ts';
import { taskKey } from '../core/ids.ts';
import { standingOf, vouchedFor } from '../core/integration-value.ts';
import type { HostPolicy, State } from '../core/model.ts';
import type { World } from '../world/world.ts';

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
  const landings = from === null ? null : await landingsOf(world, from, policy.tracker);
  const found = await world.worktrees.found();
  // In this order: what landed is no longer work to go on with.
  return [
    ...(landings === null || landings.landings.length === 0 ? [] : [landings]),
    ...(found.length === 0 ? [] : [{ type: 'loops-found', loops: found } as const]),
    ...unknown,
  ];
}

/** What an older version wrote down does not say why it may be believed; the user's own commits need no reason. */
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

/** What the history of a commit tells to have landed. */
export async function landingsOf(
  { integration }: Pick<World, 'integration'>,
  commit: Sha,
  tracker: string,
): Promise<Extract<Event, { type: 'landings-found' }>> {
  const landings = await integration.landings(commit);
  return {
    type: 'landings-found',
    landings: landings.map(({ task, tracker: own, loop, commit: by, atMs }) => ({
      task: taskKey(own ?? tracker, task),
      loop,
      commit: by,
      at: atMs,
    })),
  };
}
