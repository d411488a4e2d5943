import { invariant } from '../../core/assert.ts';
import type { Command } from '../../core/commands.ts';
import type { Event } from '../../core/events.ts';
import type { Sha } from '../../core/ids.ts';
import type { Loop } from '../../core/model.ts';
import { findTask } from '../../core/tasks.ts';
import { landingMessage, upstreamMessage } from '../../text/commit-message.ts';
import type { PerformContext } from '../performer.ts';

type BuildCandidate = Extract<Command, { type: 'build-candidate' }>;

/** Merges in memory what shall land next: the user's own new commits if there are any, else the item. */
export async function buildCandidate(context: PerformContext, command: BuildCandidate): Promise<readonly Event[]> {
  const { integration } = context.world;
  const { head: base, upstream } = await integration.sync();
  if (upstream !== null) return build(context, command.fence, base, upstream, null);
  if (command.item === null) return [{ type: 'candidate-contained', fence: command.fence, commit: base, base }];
  const loop = context.state().loops[command.item];
  invariant(loop != null && loop.head !== null, `loop ${command.item} has nothing to land`);
  // A landing cut short may have moved integration without a word about it.
  const landed =
    loop.landings <= 1
      ? null
      : await integration.findLanded({ head: loop.head, loop: loop.id, base: loop.base, integration: base });
  if (landed !== null) return [{ type: 'candidate-contained', fence: command.fence, commit: landed, base }];
  return build(context, command.fence, base, loop.head, loop);
}

async function build(
  { world, state, policy }: PerformContext,
  fence: number,
  base: Sha,
  head: Sha,
  loop: Loop | null,
): Promise<readonly Event[]> {
  const upstream = loop === null;
  const task = loop === null ? null : findTask(state(), loop.task);
  const message =
    loop === null
      ? upstreamMessage(world.integration.target)
      : landingMessage({ task: task?.id ?? loop.task, title: loop.title, loop: loop.id, head, attempt: loop.attempt });
  const made = await world.integration.build({
    base,
    head,
    message,
    method: upstream ? 'merge' : policy.method,
    fence,
    tick: task?.id ?? null,
  });
  if ('conflicts' in made) return [{ type: 'candidate-conflicted', fence, upstream, base, paths: made.conflicts }];
  const baseTree = await world.integration.treeOf(base);
  return [
    { type: 'candidate-built', fence, candidate: { base, baseTree, commit: made.commit, tree: made.tree, upstream } },
  ];
}
