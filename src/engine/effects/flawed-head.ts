import type { Command } from '../../core/commands.ts';
import type { Event } from '../../core/events.ts';
import type { Sha } from '../../core/ids.ts';
import type { Loop } from '../../core/model.ts';
import { flawReport } from '../../core/rework.ts';
import type { PerformContext } from '../performer.ts';

type RunGates = Extract<Command, { type: 'run-gates' }>;

/**
 * What no gate of the user's sees: a commit of the branch names something that is nowhere, or that git does not allow. Its own agent
 * can mend that best, so it is looked for before anything else is done with the branch. Null: all of it is whole.
 */
export async function flawedHead(
  { world, policy, state }: PerformContext,
  { fence, n }: RunGates,
  loop: Loop,
  head: Sha,
): Promise<Event | null> {
  const { integration } = world;
  const [tree, target] = await Promise.all([integration.treeOf(head), integration.targetHead()]);
  // What the log has landed, wherever the ref is: an agent can write that.
  const known = [state().integration, target];
  // Squashed, only its files land, and none of its commits.
  const tip = policy.method === 'squash' ? tree : head;
  const why = await integration.findFlaw(
    [tip],
    known.filter((commit) => commit !== null),
  );
  if (why === null) return null;
  const report = flawReport(why, loop);
  const nothing = { durationMs: 0, protected: [], changed: [] };
  return { type: 'gates-ended', loop: loop.id, fence, n, head, tree, tested: tree, report, ...nothing };
}
