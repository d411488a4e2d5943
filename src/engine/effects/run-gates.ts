import { invariant } from '../../core/assert.ts';
import type { Command } from '../../core/commands.ts';
import type { Event } from '../../core/events.ts';
import type { PerformContext } from '../performer.ts';

type RunGates = Extract<Command, { type: 'run-gates' }>;

/** The gates in the loop's own worktree, on exactly what is committed there. If that changed meanwhile, nothing was tested. */
export async function runGates(
  { world, state, force }: PerformContext,
  command: RunGates,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const loop = state().loops[command.loop];
  invariant(loop != null && loop.worktree !== null, `loop ${command.loop} has nothing to gate`);
  await world.worktrees.restore(loop.worktree);
  const { head, tree } = await world.worktrees.facts(loop.worktree);
  const ran = await world.gates.run({ path: loop.worktree, name: `${loop.id}/gates-${command.n}`, signal, force });
  await world.worktrees.restore(loop.worktree);
  const after = await world.worktrees.facts(loop.worktree);
  if (ran === null || after.head !== head) return [];
  return [
    {
      type: 'gates-ended',
      loop: loop.id,
      fence: command.fence,
      n: command.n,
      head,
      tree,
      report: ran.report,
      durationMs: ran.durationMs,
    },
  ];
}
