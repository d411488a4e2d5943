import type { Event } from '../../core/model/events.ts';
import type { Sha } from '../../core/model/ids.ts';
import { taskKey } from '../../core/model/ids.ts';
import type { World } from '../../world/contract/world.ts';

/** What the history of a commit tells to have landed. */
export async function landingsOf(
  { integration }: Pick<World, 'integration'>,
  commit: Sha,
): Promise<Extract<Event, { type: 'landings-found' }>> {
  const landings = await integration.landings(commit);
  return {
    type: 'landings-found',
    landings: landings.map(({ task, tracker, loop, commit: by, atMs }) => ({
      task: taskKey(tracker, task),
      loop,
      commit: by,
      at: atMs,
    })),
  };
}
