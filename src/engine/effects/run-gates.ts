import { invariant } from '../../core/assert.ts';
import type { Command } from '../../core/commands.ts';
import type { Event } from '../../core/events.ts';
import type { Sha } from '../../core/ids.ts';
import type { GateReport, Loop } from '../../core/model.ts';
import { matchProtected } from '../../text/protected-paths.ts';
import type { PerformContext } from '../performer.ts';

type RunGates = Extract<Command, { type: 'run-gates' }>;

/** The gates in the loop's own worktree, on exactly what is committed there. If that changed meanwhile, nothing was tested. */
export async function runGates(
  context: PerformContext,
  command: RunGates,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const { world, policy } = context;
  const loop = context.state().loops[command.loop];
  invariant(loop != null && loop.worktree !== null, `loop ${command.loop} has nothing to gate`);
  const path = loop.worktree;
  if (!policy.hasGates) {
    const green: GateReport = { verdict: 'green', failing: null, tail: '' };
    const facts = await world.worktrees.facts(path);
    return [gatesEnded(command, facts, green, 0, await touchedProtected(context, loop, facts.head))];
  }
  await world.worktrees.restore(path);
  const tested = await world.worktrees.facts(path);
  const [ran, touched] = await Promise.all([
    world.gates.run({ path, name: `${loop.id}/gates-${command.n}`, signal, force: context.force }),
    touchedProtected(context, loop, tested.head),
  ]);
  await world.worktrees.restore(path);
  const after = await world.worktrees.facts(path);
  if (ran === null || after.head !== tested.head) return [];
  return [gatesEnded(command, tested, ran.report, ran.durationMs, touched)];
}

async function touchedProtected(
  { world, protect }: PerformContext,
  { base }: Loop,
  head: Sha,
): Promise<readonly string[]> {
  if (base === null || protect.length === 0) return [];
  return matchProtected(await world.worktrees.changed(base, head), protect);
}

function gatesEnded(
  { loop, fence, n }: RunGates,
  { head, tree }: { readonly head: Sha; readonly tree: Sha },
  report: GateReport,
  durationMs: number,
  touched: readonly string[],
): Event {
  return { type: 'gates-ended', loop, fence, n, head, tree, report, durationMs, protected: touched };
}
