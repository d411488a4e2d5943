import type { Event } from '../core/model/events.ts';
import { isNoNews } from '../core/model/keeps.ts';
import type { State } from '../core/model/model.ts';
import type { World } from '../world/contract/world.ts';

/** Where thousands are kept a look takes a while: it is no more than this part of the time. */
const PART = 50;

/**
 * Looks at the refs that keep work: those that are gone come back at once, and that is told with what else happened. What fails now is
 * tried again. `must`: something was kept a moment ago, and is to be in the log before the next agent can take it away.
 */
export function createKeepLook({
  clock,
  integration,
}: World): (state: State, must: boolean) => Promise<readonly Event[]> {
  let nextMs = Number.NEGATIVE_INFINITY;
  return async ({ keeps }, must) => {
    const fromMs = clock.awakeMs();
    if (!must && fromMs < nextMs) return [];
    const seen = await integration.lookAtKeeps(keeps).catch(() => null);
    nextMs = clock.awakeMs() + PART * (clock.awakeMs() - fromMs);
    return seen === null || isNoNews(seen) ? [] : [{ type: 'keeps-changed', ...seen }];
  };
}
