import type { Command } from '../../core/commands.ts';
import { AppError } from '../../core/errors.ts';
import type { Event } from '../../core/events.ts';
import type { Sha } from '../../core/ids.ts';
import type { World } from '../../world/world.ts';
import type { PerformContext } from '../performer.ts';

type MakeWorktree = Extract<Command, { type: 'make-worktree' }>;

/** A branch and a worktree that start from everything landed, plus the unlanded branches the loop builds on. */
export async function makeWorktree(context: PerformContext, command: MakeWorktree): Promise<readonly Event[]> {
  const { world, state } = context;
  const loop = state().loops[command.loop];
  if (loop?.place.at === 'checkout') return takeCheckout(world, command, loop.place.path);
  // Its branch is there already when a host died after making it, or the folder was lost.
  const tip = await world.worktrees.tip(command.branch);
  const base =
    tip !== null && command.head === null ? tip : await startingPoint(world, await asTheyAre(context, command));
  const { path, reused } = await world.worktrees.make({
    branch: command.branch,
    base: tip ?? command.head ?? base,
  });
  if (loop != null) {
    const { id, task, title, attempt, branch } = loop;
    world.worktrees.note(path, { loop: id, task, title, attempt, branch, base: loop.base ?? base });
  }
  const { head, tree } = await world.worktrees.facts(path);
  const baseTree = await world.integration.treeOf(base);
  return [
    { type: 'worktree-made', loop: command.loop, fence: command.fence, path, base, baseTree, head, tree, reused },
  ];
}

/** Nothing is made: the loop works where a person stands, on what is there. */
async function takeCheckout(
  world: World,
  { loop, fence, branch }: MakeWorktree,
  path: string,
): Promise<readonly Event[]> {
  await world.integration.sync();
  const taken = await world.worktrees.takeCheckout({ path, branch, loop });
  return [{ type: 'worktree-made', loop, fence, path, ...taken, reused: true }];
}

/** What waits to land may have been rebased since the log saw it, or mended by hand: it lands as it is now. */
function asTheyAre({ world, state }: PerformContext, { loop: id, onto }: MakeWorktree): Promise<readonly Sha[]> {
  const { loops } = state();
  const below = (loops[id]?.onto ?? []).flatMap((one) => loops[one] ?? []);
  return Promise.all(
    onto.map(async (head) => {
      const waiting = below.find((loop) => loop.head === head && loop.phase.at === 'ready');
      return (waiting === undefined ? null : await world.worktrees.tip(waiting.branch)) ?? head;
    }),
  );
}

async function startingPoint(world: World, onto: readonly Sha[]): Promise<Sha> {
  const { head } = await world.integration.sync();
  if (onto.length === 0) return head;
  const joined = await world.integration.join(head, onto);
  if ('commit' in joined) return joined.commit;
  throw new AppError(
    'E_NEEDS_PERSON',
    `the branches this task builds on do not merge: ${joined.conflicts.join(', ')}`,
    { remedy: 'ralph land --all' },
  );
}
