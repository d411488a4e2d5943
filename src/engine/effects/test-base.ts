import type { Command } from '../../core/model/commands.ts';
import type { Event } from '../../core/model/events.ts';
import { flakeOf } from '../../core/loops/odds.ts';
import type { GatesRan } from '../../world/contract/world.ts';
import type { PerformContext } from './perform-context.ts';
import { FLAKY } from './run-gates.ts';

type TestBase = Extract<Command, { type: 'test-base' }>;
type Ran = GatesRan & { readonly likely: readonly string[] };

/** The gates on main itself, without the work of any loop. */
export async function testBase(
  { world, policy, state, force }: PerformContext,
  { commit, tree, again, timeoutMs }: TestBase,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const run = (time: string): Promise<Ran | null> =>
    world.gates.withWorktree(commit, async (path) => {
      const name = `landings/base-${commit.slice(0, 12)}${time}`;
      const ran = await world.gates.run({ path, commit, name, timeoutMs, signal, force });
      return ran === null ? null : { ...ran, likely: ran.report.verdict === 'red' ? await world.lacks(path) : [] };
    });
  const first = await run(again === 0 ? '' : `-${again + 1}`);
  const isDoubtful = first?.report.verdict === 'red' && flakeOf(state().odds) > FLAKY;
  const ran = isDoubtful ? await run(`-${again + 1}-again`) : first;
  if (ran === null) return [];
  const { report, likely, durationMs } = ran;
  return [{ type: 'base-tested', gatesHash: policy.gatesHash, commit, tree, again, report, likely, durationMs }];
}
