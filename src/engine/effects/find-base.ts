import type { Command } from '../../core/commands.ts';
import type { Event } from '../../core/events.ts';
import { knownOf } from '../../core/integration-value.ts';
import type { PerformContext } from '../performer.ts';

type FindBase = Extract<Command, { type: 'find-base' }>;

/** Where main is now, with whatever the user committed there since. */
export async function findBase(
  { world, policy, state }: PerformContext,
  { seen }: FindBase,
): Promise<readonly Event[]> {
  const { head: commit } = await world.integration.sync(knownOf(state()));
  const tree = await world.integration.treeOf(commit);
  return [{ type: 'base-found', gatesHash: policy.gatesHash, commit, tree, seen }];
}
