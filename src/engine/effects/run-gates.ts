import { invariant } from '../../core/assert.ts';
import type { Command } from '../../core/commands.ts';
import type { Event } from '../../core/events.ts';
import type { Sha } from '../../core/ids.ts';
import type { GateReport } from '../../core/model.ts';
import type { PerformContext } from '../performer.ts';

type RunGates = Extract<Command, { type: 'run-gates' }>;

/** The gates in the loop's own worktree, on exactly what is committed there. If that changed meanwhile, nothing was tested. */
export async function runGates(
  { world, state, policy, force }: PerformContext,
  command: RunGates,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const loop = state().loops[command.loop];
  invariant(loop != null && loop.worktree !== null, `loop ${command.loop} has nothing to gate`);
  if (!policy.hasGates) {
    const green = { verdict: 'green', failing: null, tail: '' } as const;
    return [gatesEnded(command, await world.worktrees.facts(loop.worktree), green, 0)];
  }
  await world.worktrees.restore(loop.worktree);
  const tested = await world.worktrees.facts(loop.worktree);
  const ran = await world.gates.run({ path: loop.worktree, name: `${loop.id}/gates-${command.n}`, signal, force });
  await world.worktrees.restore(loop.worktree);
  const after = await world.worktrees.facts(loop.worktree);
  return ran === null || after.head !== tested.head ? [] : [gatesEnded(command, tested, ran.report, ran.durationMs)];
}

function gatesEnded(
  { loop, fence, n }: RunGates,
  { head, tree }: { readonly head: Sha; readonly tree: Sha },
  report: GateReport,
  durationMs: number,
): Event {
  return { type: 'gates-ended', loop, fence, n, head, tree, report, durationMs };
}
