import type { Event } from '../core/events.ts';
import type { HostId } from '../core/ids.ts';
import { hostId } from '../core/ids.ts';
import { isWorthWaiting, LANDING_WAIT_MS, nextToLand } from '../core/landing-queue.ts';
import type { HostPolicy, State } from '../core/model.ts';
import { reconcile } from '../core/reconcile.ts';
import type { Observed } from '../core/reconcile.ts';
import { isSpent, schedule } from '../core/schedule.ts';
import { wishes } from '../core/wishes.ts';
import type { World } from '../world/world.ts';
import { claimEvents } from './claims.ts';
import { openJournal } from './journal.ts';
import type { Journal, OnRecord } from './journal.ts';
import { observe } from './observe.ts';
import { createPerformer } from './performer.ts';
import type { Performer } from './performer.ts';

/** How often a host looks at the world even if nothing called. */
const LOOK_EVERY_MS = 1000;

export interface HostOrder {
  readonly policy: HostPolicy;
  readonly completionPromise: string;
  readonly gateCommands: readonly string[];
  /** Facts to write together with the joining (a request to land, for example). */
  readonly opening: (state: State) => readonly Event[];
  /** Aborted once: stop in order. */
  readonly drain: AbortSignal;
  /** Aborted: kill at once. */
  readonly force: AbortSignal;
  readonly onRecord: OnRecord;
  readonly onWarning: (text: string) => void;
}

/** Joins the repository's hosts, works until nothing is left to do or it is asked to stop, and leaves. */
export async function runHost(world: World, order: HostOrder): Promise<State> {
  const me = hostId(`h-${world.ids.suffix()}${world.ids.suffix()}`);
  const journal = await openJournal(world.log, order.onRecord);
  const bell = createBell();
  const watching = new AbortController();
  world.log.watch(bell.ring, watching.signal);
  order.drain.addEventListener('abort', bell.ring);
  const performer = createPerformer({
    world,
    me,
    state: journal.state,
    policy: order.policy,
    completionPromise: order.completionPromise,
    gateCommands: order.gateCommands,
    force: order.force,
    onSettled: bell.ring,
  });
  try {
    await join(world, order, journal, me);
    await work(world, order, journal, me, performer, bell);
    await write(journal, me, world, () => [{ type: 'host-left', host: me }]);
    return journal.state();
  } finally {
    watching.abort();
    order.drain.removeEventListener('abort', bell.ring);
    world.projection.close(journal.state(), world.clock.nowMs());
  }
}

async function join(world: World, order: HostOrder, journal: Journal, me: HostId): Promise<void> {
  await write(journal, me, world, (state) => [
    { type: 'host-joined', host: me, mark: world.hosts.own, policy: order.policy },
    ...order.opening(state),
  ]);
}

/** The one serial loop: take what happened, write it down, decide, and let the performer do what is wished. */
async function work(
  world: World,
  order: HostOrder,
  journal: Journal,
  me: HostId,
  performer: Performer,
  bell: Bell,
): Promise<void> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let tracker: Observed['tracker'] = null;
  for (;;) {
    await journal.catchUp();
    const settled = performer.takeSettled();
    const isDraining = order.drain.aborted;
    let observed: Observed | null = null;
    if (!isDraining && performer.clockDue(lookedAt, LOOK_EVERY_MS)) {
      lookedAt = world.clock.nowMs();
      observed = await observe(world, journal.state(), me, tracker, order.onWarning);
      tracker = observed.tracker;
    }
    await write(journal, me, world, (state) => [...settled, ...news(state, me, isDraining, observed)]);
    // A record of its own: whoever reads the log sees what was decided after what it was decided upon.
    await write(journal, me, world, (state) => decide(world, state, me));
    const state = journal.state();
    performer.perform(wishes(state, me));
    world.projection.write(state, world.clock.nowMs());
    if (performer.isIdle() && !performer.hasSettled() && (order.drain.aborted || isDone(state, me))) return;
    await bell.wait(nextToLand(state) === undefined ? LOOK_EVERY_MS : LANDING_WAIT_MS, world);
  }
}

/** What the look around showed, or that this host takes no new work. */
function news(state: State, me: HostId, isDraining: boolean, observed: Observed | null): readonly Event[] {
  if (isDraining) return state.hosts[me]?.state === 'up' ? [{ type: 'host-draining', host: me }] : [];
  return observed === null ? [] : reconcile(state, observed, me);
}

const isDone = (state: State, me: HostId): boolean => isSpent(state, me) && wishes(state, me).length === 0;

/** What this host takes upon itself now: loops nobody holds, new tasks, the next landing. */
function decide(world: World, state: State, me: HostId): readonly Event[] {
  if (state.hosts[me]?.state !== 'up') return [];
  const events = claimEvents(state, schedule(state, me), me, world.ids);
  const item = nextToLand(state);
  if (item === undefined || isWorthWaiting(state, me, item, world.clock.nowMs())) return events;
  return [...events, { type: 'landing-started', item, host: me }];
}

/** Writes what `facts` says of the newest state, and asks again if somebody else wrote first. */
async function write(
  journal: Journal,
  me: HostId,
  world: World,
  facts: (state: State) => readonly Event[],
): Promise<void> {
  for (;;) {
    const events = facts(journal.state());
    if (events.length === 0) return;
    if (await journal.append(me, world.clock.nowMs(), events)) return;
  }
}

interface Bell {
  readonly ring: () => void;
  readonly wait: (ms: number, world: World) => Promise<void>;
}

/** Wakes the loop; a ring while nobody waits is not lost. */
function createBell(): Bell {
  let rung = false;
  let wake: AbortController | null = null;
  return {
    ring: () => {
      rung = true;
      wake?.abort();
    },
    wait: async (ms, world) => {
      if (!rung) {
        wake = new AbortController();
        // In step with every other wait of a second, so that an idle machine wakes once.
        await world.clock.sleep(ms - (world.clock.nowMs() % ms), wake.signal);
        wake = null;
      }
      rung = false;
    },
  };
}
