import { invariant } from '../../core/assert.ts';
import type { Command } from '../../core/commands.ts';
import type { Event } from '../../core/events.ts';
import { mergeMainMessage } from '../../text/commit-message.ts';
import type { PerformContext } from '../performer.ts';

type UpdateWorktree = Extract<Command, { type: 'update-worktree' }>;

/** Brings main into a loop's own worktree, where its agent can see what does not fit. */
export async function updateWorktree(
  { world, state }: PerformContext,
  command: UpdateWorktree,
): Promise<readonly Event[]> {
  const { loop: id, fence, n } = command;
  const loop = state().loops[id];
  invariant(loop != null && loop.worktree !== null && loop.head !== null, `loop ${id} has no worktree to update`);
  await world.worktrees.standOn(loop.worktree, loop.branch);
  const { head: base } = await world.integration.sync();
  const before = loop.head;
  const { head, tree, conflicts } = await world.worktrees.mergeIn({
    path: loop.worktree,
    branch: loop.branch,
    commit: base,
    message: (paths) => mergeMainMessage(world.integration.target, loop.id, paths),
  });
  const baseTree = await world.integration.treeOf(base);
  return [{ type: 'main-merged', loop: id, fence, n, base, baseTree, before, head, tree, conflicts }];
}
