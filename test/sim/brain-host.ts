import type { Event } from '../../src/core/events.ts';
import type { HostId } from '../../src/core/ids.ts';
import { hostId } from '../../src/core/ids.ts';
import { EMPTY_STATE } from '../../src/core/model.ts';
import type { State } from '../../src/core/model.ts';
import type { Observed } from '../../src/core/reconcile.ts';
import { isSpent } from '../../src/core/schedule.ts';
import { isWorthWaiting, LANDING_WAIT_MS } from '../../src/core/landing-queue.ts';
import { claimEvents } from '../../src/engine/claims.ts';
import type { HostOrder } from '../../src/engine/host.ts';
import type { Journal } from '../../src/engine/journal.ts';
import { observe } from '../../src/engine/observe.ts';
import { createPerformer } from '../../src/engine/performer.ts';
import type { Performer } from '../../src/engine/performer.ts';
import type { Log, LogRecord } from '../../src/world/log/log.ts';
import type { World } from '../../src/world/world.ts';
import type { Brain } from './model/brain.ts';
import type { HostRunner } from './model/start-host.ts';

const LOOK_EVERY_MS = 1000;

/**
 * The engine's journal and host with their deciding functions as a parameter, so that a mutant can be planted. All
 * else is the engine's own; a test holds the two to the same log, record by record, so they must also await alike.
 */
export function createBrainHost(brain: Brain): HostRunner {
  return async (world, order) => {
    const me = hostId(`h-${world.ids.suffix()}${world.ids.suffix()}`);
    const journal = await openJournal(world.log, brain);
    const bell = createBell();
    const watching = new AbortController();
    world.log.watch(bell.ring, watching.signal);
    order.drain.addEventListener('abort', bell.ring);
    const performer = createPerformer({ ...order, world, me, state: journal.state, onSettled: bell.ring });
    const host: BrainHost = { brain, world, order, journal, me, performer, bell };
    try {
      await write(host, (state) => [
        { type: 'host-joined', host: me, mark: world.hosts.own, policy: order.policy },
        ...order.opening(state),
      ]);
      await work(host);
      await write(host, () => [{ type: 'host-left', host: me }]);
      return journal.state();
    } finally {
      watching.abort();
    }
  };
}

interface BrainHost {
  readonly brain: Brain;
  readonly world: World;
  readonly order: HostOrder;
  readonly journal: Journal;
  readonly me: HostId;
  readonly performer: Performer;
  readonly bell: Bell;
}

async function openJournal(log: Log<Event>, { fold }: Brain): Promise<Journal> {
  const snapshot = await log.loadSnapshot();
  let state = (snapshot?.state as State | undefined) ?? EMPTY_STATE;
  for (const record of await log.read(state.seq)) state = fold(state, record);
  const take = (record: LogRecord<Event>): void => {
    state = fold(state, record);
  };
  const catchUp = async (): Promise<boolean> => {
    const records = await log.read(state.seq);
    for (const record of records) take(record);
    return records.length > 0;
  };
  const append = async (by: string, at: number, events: readonly Event[]): Promise<boolean> => {
    const written = await log.append(state.seq, by, at, events);
    if (!written.ok) {
      await catchUp();
      return false;
    }
    take({ seq: written.seq, at, by, events });
    return true;
  };
  return { state: () => state, catchUp, append };
}

async function work(host: BrainHost): Promise<void> {
  const { brain, world, order, journal, me, performer, bell } = host;
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
    await write(host, (state) => [...settled, ...news(host, state, isDraining, observed)]);
    await write(host, (state) => decide(host, state));
    const state = journal.state();
    performer.perform(brain.wishes(state, me));
    const isDone = isSpent(state, me) && brain.wishes(state, me).length === 0;
    if (performer.isIdle() && !performer.hasSettled() && (order.drain.aborted || isDone)) return;
    await bell.wait(brain.nextToLand(state) === undefined ? LOOK_EVERY_MS : LANDING_WAIT_MS, world);
  }
}

function news(
  { brain, me }: BrainHost,
  state: State,
  isDraining: boolean,
  observed: Observed | null,
): readonly Event[] {
  if (isDraining) return state.hosts[me]?.state === 'up' ? [{ type: 'host-draining', host: me }] : [];
  return observed === null ? [] : brain.reconcile(state, observed, me);
}

function decide({ brain, world, me }: BrainHost, state: State): readonly Event[] {
  if (state.hosts[me]?.state !== 'up') return [];
  const events = claimEvents(state, brain.schedule(state, me), me, world.ids);
  const item = brain.nextToLand(state);
  if (item === undefined || isWorthWaiting(state, me, item, world.clock.nowMs())) return events;
  return [...events, { type: 'landing-started', item, host: me }];
}

async function write({ journal, me, world }: BrainHost, facts: (state: State) => readonly Event[]): Promise<void> {
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

function createBell(): Bell {
  let isRung = false;
  let wake: AbortController | null = null;
  return {
    ring: () => {
      isRung = true;
      wake?.abort();
    },
    wait: async (ms, world) => {
      if (!isRung) {
        wake = new AbortController();
        await world.clock.sleep(ms - (world.clock.nowMs() % ms), wake.signal);
        wake = null;
      }
      isRung = false;
    },
  };
}
