import { invariant } from '../../core/model/assert.ts';
import { AppError } from '../../core/model/errors.ts';
import type { Loop } from '../../core/model/model.ts';
import type { Command } from '../../core/model/commands.ts';
import type { Event } from '../../core/model/events.ts';
import type { Sha } from '../../core/model/ids.ts';
import { knownOf } from '../../core/loops/integration-value.ts';
import { mergeMainMessage } from '../../text/commit-message.ts';
import type { World } from '../../world/contract/world.ts';
import type { PerformContext } from './perform-context.ts';

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
  const brought = await bringPull(world, loop);
  const { head: main } = await world.integration.sync(knownOf(state()));
  const isForPull = loop.rework?.kind === 'checks' || loop.rework?.kind === 'review';
  // What people say of a pull request is about what stands in it.
  const base = isForPull && loop.base !== null ? loop.base : main;
  const before = loop.head;
  const tip = await world.worktrees.facts(loop.worktree);
  const { onlyClean } = command;
  const merged = await world.worktrees
    .mergeIn({
      path: loop.worktree,
      branch: loop.branch,
      commit: base,
      message: (paths) => mergeMainMessage(world.integration.target, loop.id, paths),
      onlyClean,
    })
    // Newer would have been better; what stands in its way is not this loop's to tell.
    .catch((error: unknown) => (onlyClean && isForPerson(error) ? null : Promise.reject(error as Error)));
  if (merged === null || merged.isLeft === true)
    return [{ type: 'main-merged', loop: id, fence, n, ...asItWas(loop, before), conflicts: [] }];
  const { head, tree, conflicts } = merged;
  const left = tip.head === before ? [] : await markedFiles(world, before, head);
  const baseTree = await world.integration.treeOf(base);
  const found = [...new Set([...brought, ...conflicts, ...left])];
  return [{ type: 'main-merged', loop: id, fence, n, base, baseTree, before, head, tree, conflicts: found }];
}

/** What stands in its pull request and its branch lacks: the mark that its task is done, and what people pushed on top. */
async function bringPull({ worktrees }: World, loop: Loop): Promise<readonly string[]> {
  const head = loop.pull?.pushed ?? null;
  if (head === null || loop.worktree === null) return [];
  const { conflicts } = await worktrees.mergeIn({
    path: loop.worktree,
    branch: loop.branch,
    commit: head,
    message: (paths) => mergeMainMessage(loop.branch, loop.id, paths),
    onlyClean: false,
  });
  return conflicts;
}

const isForPerson = (error: unknown): boolean => error instanceof AppError && error.code === 'E_NEEDS_PERSON';

function asItWas({ id, base, baseTree, tree }: Loop, head: Sha) {
  invariant(base !== null && baseTree !== null && tree !== null, `loop ${id} has nothing to update`);
  return { base, baseTree, before: head, head, tree };
}

/** A host that died may have merged an older main and told nobody: what that left is still to be mended. */
async function markedFiles({ worktrees }: World, before: Sha, head: Sha): Promise<readonly string[]> {
  const markers = await worktrees.markers(head, await worktrees.changed(before, head));
  return markers.map((marker) => marker.replace(/:\d+$/, ''));
}
