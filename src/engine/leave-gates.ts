import type { State } from '../core/model.ts';
import { loopsOf } from '../core/model.ts';
import type { World } from '../world/world.ts';
import { APART_SLOT } from './effects/run-gates.ts';

/**
 * After a run in place: whoever works in their own checkout finds no worktree there that they did not ask for. If that fails it
 * costs room only, and `ralph parallel clean` takes it.
 */
export async function leaveGates({ worktrees }: World, state: State): Promise<void> {
  const isWanted = loopsOf(state).some(({ place, host }) => place.at === 'checkout' && host !== null);
  if (!isWanted) await worktrees.dropGateWorktree(APART_SLOT).catch(() => undefined);
}
