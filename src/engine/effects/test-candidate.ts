import type { Command } from '../../core/commands.ts';
import type { Event } from '../../core/events.ts';
import type { PerformContext } from '../performer.ts';

type TestCandidate = Extract<Command, { type: 'test-candidate' }>;

/** The gates on exactly the tree that would become main, away from every other worktree. */
export async function testCandidate(
  { world, policy, force }: PerformContext,
  command: TestCandidate,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const { fence, commit, tree } = command;
  if (!policy.hasGates)
    return [
      { type: 'candidate-tested', fence, tree, report: { verdict: 'green', failing: null, tail: '' }, durationMs: 0 },
    ];
  const ran = await world.worktrees.withGateWorktree(commit, (path) =>
    world.gates.run({ path, name: `landings/${commit.slice(0, 12)}`, signal, force }),
  );
  if (ran === null) return [];
  if (ran.report.verdict === 'red') await world.integration.dropCandidate(fence, commit);
  return [{ type: 'candidate-tested', fence, tree, report: ran.report, durationMs: ran.durationMs }];
}
