import type { Command } from '../../core/model/commands.ts';
import type { Event } from '../../core/model/events.ts';
import { knownOf } from '../../core/loops/integration-value.ts';
import type { PerformContext } from './perform-context.ts';

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
