import { invariant } from '../../core/model/assert.ts';
import type { Command } from '../../core/model/commands.ts';
import type { Event } from '../../core/model/events.ts';
import type { PerformContext } from './perform-context.ts';

type RetireWorktree = Extract<Command, { type: 'retire-worktree' }>;

/** Gives back the worktree of a loop that has landed or waits; one that holds more than what landed stays. */
export async function retireWorktree(
  { world, state }: PerformContext,
  command: RetireWorktree,
): Promise<readonly Event[]> {
  const loop = state().loops[command.loop];
  invariant(
    loop != null && loop.worktree !== null && loop.head !== null && loop.base !== null,
    `loop ${command.loop} has no worktree to retire`,
  );
  const { branch, head, phase, base } = loop;
  // Who waits has changed nothing, so all it has is what it began from.
  const landed = phase.at === 'landed' ? phase.commit : base;
  if (loop.place.at === 'checkout') {
    await world.checkout.leave({ branch, head, landed, loop: loop.id });
    return [{ type: 'worktree-retired', loop: loop.id }];
  }
  const { kept } = await world.worktrees.retire({
    path: loop.worktree,
    branch,
    head,
    landed,
    loop: loop.id,
  });
  return [
    kept === null ? { type: 'worktree-retired', loop: loop.id } : { type: 'worktree-kept', loop: loop.id, why: kept },
  ];
}
