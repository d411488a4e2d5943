import type { Command } from '../../core/model/commands.ts';
import type { Event } from '../../core/model/events.ts';
import { verdictOf } from '../../core/loops/odds.ts';
import type { GatesRan } from '../../world/contract/world.ts';
import { landingsOf } from './find-landings.ts';
import type { PerformContext } from './perform-context.ts';

type TestIntegration = Extract<Command, { type: 'test-integration' }>;
type Ran = Pick<GatesRan, 'report' | 'durationMs'>;

const GREEN: Ran = { report: { verdict: 'green', failing: null, tail: '' }, durationMs: 0 };

/** The gates on commits of integration that the log does not know. Green, the landings among them count again. */
export async function testIntegration(
  context: PerformContext,
  command: TestIntegration,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const { commit: head, tree, again, host } = command;
  const ran = await gated(context, command, signal);
  if (ran === null) return [];
  const tested = { type: 'integration-tested', host, head, tree, again, ...ran } as const;
  if (ran.report.verdict === 'red') return [tested];
  return [tested, { ...(await landingsOf(context.world, head)), head }];
}

async function gated(
  { world, state, policy, force }: PerformContext,
  { commit, tree, again, timeoutMs }: TestIntegration,
  signal: AbortSignal,
): Promise<Ran | null> {
  const target = await world.integration.targetHead();
  const flaw = await world.integration.findFlaw([commit], target === null ? [] : [target]);
  if (flaw !== null) return { report: { verdict: 'red', failing: 'git', tail: flaw }, durationMs: 0 };
  if (!policy.hasGates || verdictOf(state(), policy.gatesHash, tree) === 'green') return GREEN;
  const name = `landings/${commit.slice(0, 12)}${again === 0 ? '' : `-${again + 1}`}`;
  const ran = await world.gates.withWorktree(commit, (path) =>
    world.gates.run({ path, commit, name, timeoutMs, signal, force }),
  );
  return ran === null ? null : { report: ran.report, durationMs: ran.durationMs };
}
