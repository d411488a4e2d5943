import type { Event } from '../core/model/events.ts';
import { leaderOf } from '../core/fold/hosts.ts';
import type { HostId, Sha } from '../core/model/ids.ts';
import type { State } from '../core/model/model.ts';
import { isWorking, loopsOf } from '../core/model/model.ts';
import type { World } from '../world/contract/world.ts';

/** How often living worktrees are compared, and how much of the time may be spent on it. */
const LOOK_AHEAD_MS = 10_000;
const SHARE_OF_TIME = 0.05;

export interface Lookout {
  /** Looks, if it is time to; never waits for it. */
  readonly look: (state: State, me: HostId) => void;
  /** What was seen since the last call and differs from what the state says. */
  readonly take: (state: State) => readonly Event[];
  readonly stop: () => Promise<void>;
}

/** Sees what will conflict while the loops still work, beside everything else. One host looks for all. */
export function createLookout(world: World, onSeen: () => void): Lookout {
  const stopping = new AbortController();
  let under: Promise<void> | null = null;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  let integration: Sha | null = null;
  let seen: Event | null = null;
  /** The same heads on the same main conflict in the same way. */
  let known: { readonly of: string; readonly event: Event } | null = null;
  return {
    look: (state, me) => {
      const awakeMs = world.clock.awakeMs();
      const isMoved = state.integration !== integration;
      // A landing changes the picture at once; but in a large repository a look is work.
      const waitMs = Math.max(isMoved ? 0 : LOOK_AHEAD_MS, tookMs / SHARE_OF_TIME);
      const isDue = awakeMs - lookedAtMs >= waitMs;
      if (under !== null || stopping.signal.aborted || !isDue || leaderOf(state) !== me) return;
      const order = orderFor(state);
      if (order === null) {
        if (Object.keys(state.foreseen).length > 0) seen = { type: 'conflicts-foreseen', found: {} };
        return;
      }
      lookedAtMs = awakeMs;
      integration = state.integration;
      const of = JSON.stringify(order);
      if (known?.of === of) {
        seen = known.event;
        return;
      }
      under = world.foresight
        .look({ ...order, signal: stopping.signal })
        .then((found) => {
          seen = { type: 'conflicts-foreseen', found };
          known = { of, event: seen };
        })
        // A look that failed tells nothing; the next one may.
        .catch(() => undefined)
        .finally(() => {
          under = null;
          tookMs = world.clock.awakeMs() - awakeMs;
          if (seen !== null) onSeen();
        });
    },
    take: (state) => {
      const event = seen;
      seen = null;
      if (event?.type !== 'conflicts-foreseen' || stopping.signal.aborted) return [];
      return JSON.stringify(event.found) === JSON.stringify(state.foreseen) ? [] : [event];
    },
    stop: async () => {
      stopping.abort();
      await under;
    },
  };
}

/** Null: nobody works, or one alone on an unmoved main, so nothing can meet. */
function orderFor(state: State): Omit<Parameters<World['foresight']['look']>[0], 'signal'> | null {
  const { integration } = state;
  if (integration === null) return null;
  const loops = loopsOf(state).flatMap((loop) => {
    const { id, base, head } = loop;
    if (base === null || head === null) return [];
    const isReady = loop.phase.at === 'ready';
    if (!isReady && (!isWorking(loop) || loop.phase.at === 'updating')) return [];
    return [{ loop: id, base, head }];
  });
  const isAnyAtWork = loops.some(({ loop }) => state.loops[loop]?.phase.at !== 'ready');
  if (!isAnyAtWork || (loops.length === 1 && loops[0]?.base === integration)) return null;
  return { integration, loops };
}
