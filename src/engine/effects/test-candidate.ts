import type { Command } from '../../core/model/commands.ts';
import type { Event } from '../../core/model/events.ts';
import type { PerformContext } from './perform-context.ts';

type TestCandidate = Extract<Command, { type: 'test-candidate' }>;

/** The gates on exactly the tree that would become main. */
export async function testCandidate(
  { world, force }: PerformContext,
  command: TestCandidate,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const { fence, commit, tree, again, timeoutMs } = command;
  const name = `landings/${commit.slice(0, 12)}${again === 0 ? '' : `-${again + 1}`}`;
  const ran = await world.gates.withWorktree(
    commit,
    (path) => world.gates.run({ path, commit, name, timeoutMs, signal, force }),
    signal,
  );
  if (ran === null) return [];
  return [{ type: 'candidate-tested', fence, tree, again, report: ran.report, durationMs: ran.durationMs }];
}
