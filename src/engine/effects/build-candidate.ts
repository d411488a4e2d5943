import { invariant } from '../../core/assert.ts';
import type { Command } from '../../core/commands.ts';
import type { Event } from '../../core/events.ts';
import type { LoopId, Sha } from '../../core/ids.ts';
import type { Loop, Member } from '../../core/model.ts';
import { findTask, taskIdOf } from '../../core/tasks.ts';
import { landingMessage, upstreamMessage } from '../../text/commit-message.ts';
import type { PerformContext } from '../performer.ts';

type BuildCandidate = Extract<Command, { type: 'build-candidate' }>;

/** Merges in memory what shall land next: the user's own new commits if there are any, else the item and who follows it. */
export async function buildCandidate(context: PerformContext, command: BuildCandidate): Promise<readonly Event[]> {
  const { integration } = context.world;
  const { fence } = command;
  const { head: base, upstream } = await integration.sync();
  if (upstream !== null) return buildUpstream(context, fence, base, upstream);
  if (command.item === null) return [{ type: 'candidate-contained', fence, commit: base, base }];
  const landed = await landedBefore(context, command.item, base, 1);
  if (landed !== null) return [{ type: 'candidate-contained', fence, commit: landed, base }];
  const first = await merge(context, base, base, command.item);
  if ('conflicts' in first)
    return [{ type: 'candidate-conflicted', fence, upstream: false, base, paths: first.conflicts }];
  let last = first;
  const members: Member[] = [{ loop: command.item, commit: first.commit }];
  for (const loop of command.followers) {
    // What does not merge on top of the others stays in the queue; it is asked again when they have landed or not.
    if ((await landedBefore(context, loop, base, 0)) !== null) continue;
    const next = await merge(context, base, last.commit, loop);
    if ('conflicts' in next) continue;
    last = next;
    members.push({ loop, commit: next.commit });
  }
  return built(context, fence, base, last, members);
}

async function buildUpstream(context: PerformContext, fence: number, base: Sha, head: Sha): Promise<readonly Event[]> {
  const { integration } = context.world;
  const made = await integration.build({
    base,
    head,
    under: base,
    message: upstreamMessage(integration.target),
    method: 'merge',
    tick: null,
  });
  if ('conflicts' in made)
    return [{ type: 'candidate-conflicted', fence, upstream: true, base, paths: made.conflicts }];
  return built(context, fence, base, made, []);
}

async function built(
  { world }: PerformContext,
  fence: number,
  base: Sha,
  { commit, tree }: { readonly commit: Sha; readonly tree: Sha },
  members: readonly Member[],
): Promise<readonly Event[]> {
  await world.integration.holdCandidate(fence, commit);
  const baseTree = await world.integration.treeOf(base);
  const upstream = members.length === 0;
  return [{ type: 'candidate-built', fence, candidate: { base, baseTree, commit, tree, upstream, members } }];
}

/** A landing cut short may have moved integration without a word about it. */
async function landedBefore(
  context: PerformContext,
  id: LoopId,
  integration: Sha,
  knownLandings: number,
): Promise<Sha | null> {
  const loop = loopCalled(context, id);
  if (loop.landings <= knownLandings) return null;
  return context.world.integration.findLanded({ head: loop.head, loop: id, base: loop.base, integration });
}

function merge(
  context: PerformContext,
  under: Sha,
  base: Sha,
  id: LoopId,
): ReturnType<PerformContext['world']['integration']['build']> {
  const { title, attempt, head, task: key } = loopCalled(context, id);
  const task = findTask(context.state(), key);
  const message = landingMessage({ task: taskIdOf(context.state(), key), title, loop: id, head, attempt });
  return context.world.integration.build({
    base,
    head,
    under,
    message,
    method: context.policy.method,
    tick: task?.id ?? null,
  });
}

function loopCalled({ state }: PerformContext, id: LoopId): Loop & { readonly head: Sha } {
  const loop = state().loops[id];
  invariant(loop != null && loop.head !== null, `loop ${id} has nothing to land`);
  return { ...loop, head: loop.head };
}
