import type { Iteration } from '../../world/contract/world.ts';
import type { PerformContext } from './perform-context.ts';

const LOOK_MS = 1000;

/** Hands on what a person says while the agent works, where its driver can take it; the rest comes with the next prompt. `told`: the newest its prompt holds. */
export function steerWhileRunning(
  { world, state }: PerformContext,
  iteration: Iteration,
  told: number,
): { readonly stop: () => void } {
  const ended = new AbortController();
  let guided = told;
  const look = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      // In step with every other wait of a second, so that an idle machine wakes once.
      await world.clock.sleep(LOOK_MS - (world.clock.awakeMs() % LOOK_MS), ended.signal);
      for (const one of state().loops[iteration.loop]?.guidance ?? []) {
        if (one.id <= guided) continue;
        // In order and without gaps: who was told the newest counts as told them all.
        if (ended.signal.aborted || !world.agents.steer(iteration, one)) break;
        guided = one.id;
      }
    }
  };
  // It is told with the next prompt then.
  look().catch(() => null);
  return { stop: () => ended.abort() };
}
