import { AppError } from '../core/model/errors.ts';
import type { State } from '../core/model/model.ts';
import { landedUnticked } from '../core/model/tasks.ts';
import type { World } from '../world/contract/world.ts';

/** Ticks what landed in a task list that no landing reaches. Asked once for the same tasks of the same list. */
export function createTicking(
  { tracker }: Pick<World, 'tracker'>,
  onWarning: (text: string) => void,
): (state: State) => Promise<void> {
  let isLoose = true;
  let asked = '';
  let said = '';
  return async (state) => {
    const tasks = isLoose ? landedUnticked(state, tracker.path) : [];
    if (tasks.length === 0) return;
    const key = [state.trackers[tracker.path]?.digest, ...tasks].join(' ');
    if (key === asked) return;
    asked = key;
    try {
      isLoose = (await tracker.tickLoose?.(tasks)) ?? false;
    } catch (error) {
      // It has landed all the same.
      if (!(error instanceof AppError)) throw error;
      if (error.message !== said) onWarning(error.message);
      said = error.message;
    }
  };
}
