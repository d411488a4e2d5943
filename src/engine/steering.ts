import type { Iteration } from '../world/world.ts';
import type { PerformContext } from './performer.ts';

const LOOK_MS = 500;

/** Hands on what a person says while the agent works, where its driver can take it; the rest comes with the next prompt. */
export function steerWhileRunning(
  { world, state }: PerformContext,
  iteration: Iteration,
): { readonly stop: () => void; readonly guided: () => number } {
  const ended = new AbortController();
  const atStart = Math.max(0, ...(state().loops[iteration.loop]?.guidance ?? []).map((one) => one.id));
  let guided = 0;
  const look = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await world.clock.sleep(LOOK_MS, ended.signal);
      for (const one of state().loops[iteration.loop]?.guidance ?? [])
        if (one.id > Math.max(atStart, guided) && !ended.signal.aborted && world.agents.steer(iteration, one))
          guided = one.id;
    }
  };
  void look();
  return { stop: () => ended.abort(), guided: () => guided };
}
