import type { AppError } from '../core/model/errors.ts';
import type { Event } from '../core/model/events.ts';
import type { HostId } from '../core/model/ids.ts';
import { hostId } from '../core/model/ids.ts';
import { isWorthWaiting, LANDING_WAIT_MS } from '../core/loops/landing-queue.ts';
import type { HostPolicy, State } from '../core/model/model.ts';
import type { PullSettings } from '../core/model/settings.ts';
import type { Observed } from '../core/plan/reconcile.ts';
import { isSpent } from '../core/plan/schedule.ts';
import type { World } from '../world/contract/world.ts';
import type { Brain } from './brain.ts';
import { REAL_BRAIN } from './brain.ts';
import { claimEvents } from './claims.ts';
import { createClockWatch } from './clock-watch.ts';
import { createDiskWait } from './disk-wait.ts';
import type { DiskWait } from './disk-wait.ts';
import { join } from './join.ts';
import { openJournal } from './journal.ts';
import type { Journal, OnRecord } from './journal.ts';
import { observe } from './observe.ts';
import type { Memory } from './observe.ts';
import { createPerformer } from './performer.ts';
import type { Performer } from './performer.ts';
import type { Completion, PerformContext } from './effects/perform-context.ts';
import { createKeepLook } from './keep-look.ts';
import { createLookout } from './lookout.ts';
import type { Lookout } from './lookout.ts';
import { createTrackerFollower } from './follow-tracker.ts';
import type { TrackerFollower } from './follow-tracker.ts';
import { createForgeFollower } from './forge/follow-forge.ts';
import type { ForgeFollower } from './forge/follow-forge.ts';
import { wantOf } from './trouble/want.ts';
import { createHostLook } from './watch-hosts.ts';

/** How often a host looks at the world even if nothing called. */
const LOOK_EVERY_MS = 1000;
/** Joining again would only be the same once more: whoever cannot see it will not see it then. */
const TAKEN_FOR_DEAD =
  'another ralph could not see this process and took it for dead. This one ends; its loops continue there, or with the next ralph run';

export interface HostOrder {
  readonly policy: HostPolicy;
  readonly completion: Completion;
  readonly gateCommands: readonly string[];
  readonly protect: readonly string[];
  readonly needs: PerformContext['needs'];
  readonly landing: PerformContext['landing'];
  /** What pull requests are opened with. */
  readonly pull: PullSettings;
  /** Facts to write together with the joining (a request to land, for example). */
  readonly opening: (state: State) => readonly Event[];
  /** What set an end to its time, as it was typed, once that is over; null: it goes on. */
  readonly over?: () => string | null;
  /** Aborted once: stop in order. */
  readonly drain: AbortSignal;
  /** Aborted: kill at once. */
  readonly force: AbortSignal;
  readonly onRecord: OnRecord;
  readonly onWarning: (text: string) => void;
}

/** One host at work: what its steps need, handed on as one value. */
interface Hosting {
  readonly world: World;
  readonly order: HostOrder;
  readonly brain: Brain;
  readonly journal: Journal;
  readonly me: HostId;
  readonly performer: Performer;
  readonly bell: Bell;
  readonly lookout: Lookout;
  readonly lookAtKeeps: ReturnType<typeof createKeepLook>;
  readonly follower: TrackerFollower;
  readonly forge: ForgeFollower;
  readonly disk: DiskWait;
  /** Asked to stop, or no loop can be worked on: takes no new work, and gives back what it has. */
  readonly isDraining: () => boolean;
}

/** Joins the repository's hosts, works until nothing is left to do or it is asked to stop, and leaves. */
export async function runHost(world: World, order: HostOrder, brain: Brain = REAL_BRAIN): Promise<State> {
  const me = hostId(`h-${world.ids.suffix()}${world.ids.suffix()}`);
  const disk = createDiskWait(world.clock, order.drain, order.onWarning);
  const journal = await openJournal(world.log, brain.fold, order.onRecord, disk);
  const bell = createBell();
  const watching = new AbortController();
  world.log.watch(bell.ring, watching.signal);
  order.drain.addEventListener('abort', bell.ring);
  const hopeless: AppError[] = [];
  const onHopeless = (error: AppError): void => void hopeless.push(error);
  const performer = createPerformer({ ...order, world, disk, state: journal.state, onSettled: bell.ring, onHopeless });
  const lookout = createLookout(world, bell.ring);
  const isDraining = (): boolean => order.drain.aborted || hopeless.length > 0;
  const lookAtKeeps = createKeepLook(world);
  const follower = createTrackerFollower(world, order.onWarning, bell.ring);
  const forge = createForgeFollower({ ...order, world, state: journal.state, me }, bell.ring);
  const hosting: Hosting = {
    world,
    order,
    brain,
    journal,
    me,
    performer,
    bell,
    lookout,
    lookAtKeeps,
    follower,
    forge,
    disk,
    isDraining,
  };
  try {
    await join(world, journal, me, order);
    do await work(hosting);
    while (!(await leave(hosting)));
    // Every loop was given back as it was; why nothing was done is for the caller to say.
    if (hopeless[0] !== undefined) throw hopeless[0];
    return journal.state();
  } catch (error) {
    if (order.drain.aborted) await stopAll(hosting);
    throw error;
  } finally {
    await lookout.stop();
    await follower.stop();
    await forge.stop();
    watching.abort();
    order.drain.removeEventListener('abort', bell.ring);
    world.projection.close(journal.state());
  }
}

/** What a person asked to stop is stopped even where that can no longer be written down. */
async function stopAll({ performer, bell, world }: Hosting): Promise<void> {
  performer.perform([]);
  while (!performer.isIdle()) await bell.wait(LOOK_EVERY_MS, world);
}

/** Leaves, unless somebody gave this host something to do in its last moment. */
async function leave(hosting: Hosting): Promise<boolean> {
  const { brain, me, isDraining } = hosting;
  let hasLeft = false;
  const keeps = await hosting.lookAtKeeps(hosting.journal.state(), true);
  await write(hosting, (state) => {
    hasLeft = isDraining() || isDone(brain, state, me);
    if (!hasLeft) return keeps;
    // Asked to stop a moment ago: that must be told before the leaving, which otherwise ends the run.
    return [...keeps, ...news(hosting, state, isDraining(), null), { type: 'host-left', host: me }];
  });
  const { landing, hosts } = hosting.journal.state();
  // Nobody is left who would build another train soon.
  if (hasLeft && landing === null && Object.keys(hosts).length === 0) await hosting.world.integration.releaseTrains();
  return hasLeft;
}

const isDone = (brain: Brain, state: State, me: HostId): boolean =>
  // Others took it for suspended: what it wishes is known once it has told that it goes on.
  state.hosts[me]?.state !== 'stopped' && brain.wishes(state, me).length === 0 && isSpent(state, me);

/** The one serial loop. What cannot be read or written now, for want of what the system gives, is tried again. */
async function work(hosting: Hosting): Promise<void> {
  const { bell, brain, disk, journal, world } = hosting;
  const turn = turns(hosting);
  for (let isLate = false; ;) {
    try {
      const next = await turn();
      if (isLate) disk.over();
      isLate = false;
      if (next === 'done') return;
      if (next === 'wait') await bell.wait(brain.canLand(journal.state()) ? LANDING_WAIT_MS : LOOK_EVERY_MS, world);
    } catch (error) {
      if (wantOf(error) === null || !(await disk.pause(error))) throw error;
      isLate = true;
    }
  }
}

/** Takes what happened, writes it down, decides, and lets the performer do what is wished; once with each call. */
function turns(hosting: Hosting): () => Promise<'done' | 'wait' | 'again'> {
  const { world, order, brain, journal, me, performer, follower } = hosting;
  const watchClock = createClockWatch(world.clock, order.onWarning);
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  const memory: Memory = { hosts: createHostLook(world), tracker: null };
  let { putBacks } = journal.state();
  let settled: readonly Event[] = [];
  return async () => {
    await journal.catchUp();
    settled = [...settled, ...performer.takeSettled(), ...follower.take(), ...hosting.forge.take()];
    const isDraining = hosting.isDraining();
    let observed: Observed | null = null;
    watchClock();
    // What was read while integration was elsewhere is read again, before anything follows from it.
    if (putBacks !== journal.state().putBacks) lookedAtMs = Number.NEGATIVE_INFINITY;
    ({ putBacks } = journal.state());
    const isDue = !isDraining && world.clock.awakeMs() - lookedAtMs >= LOOK_EVERY_MS;
    const keeps = isDue || settled.length > 0 ? await hosting.lookAtKeeps(journal.state(), settled.length > 0) : [];
    if (isDue) {
      lookedAtMs = world.clock.awakeMs();
      observed = await observe(world, journal.state(), me, memory, order.onWarning);
    }
    const { lookout } = hosting;

    if (!isDraining) lookout.look(journal.state(), me);
    await write(hosting, (state) => [
      ...settled,
      ...keeps,
      ...lookout.take(state),
      ...hosting.forge.claim(state, me),
      ...news(hosting, state, isDraining, observed),
    ]);
    settled = [];
    follower.follow(journal.state(), me);
    if (!isDraining) hosting.forge.follow(journal.state(), me);
    // A record of its own: whoever reads the log sees what was decided after what it was decided upon.
    await write(hosting, (state) => decide(hosting, state));
    const state = journal.state();
    // Somebody took it for suspended a moment ago: that is put right before it stops what it does.
    if (state.hosts[me]?.state === 'stopped') return 'again';
    const wished = brain.wishes(state, me);
    performer.perform(wished);
    world.projection.write(state);
    const mayLeave =
      hosting.isDraining() ||
      (isDone(brain, state, me) &&
        putBacks === state.putBacks &&
        follower.isIdle(state, me) &&
        hosting.forge.isIdle(state, me));
    if (mayLeave && performer.isIdle() && !performer.hasSettled()) {
      if (state.hosts[me] == null) order.onWarning(TAKEN_FOR_DEAD);
      return 'done';
    }
    return 'wait';
  };
}

/** What the look around showed, or that this host takes no new work. */
function news(
  { brain, me, order }: Hosting,
  state: State,
  isDraining: boolean,
  observed: Observed | null,
): readonly Event[] {
  const host = state.hosts[me];
  const is = host?.state;
  if (isDraining) return is === 'up' || is === 'stopped' ? [{ type: 'host-draining', host: me }] : [];
  const woke: readonly Event[] = is === 'stopped' ? [{ type: 'host-woke', host: me }] : [];
  const over = host === undefined || host.isEnding ? null : (order.over?.() ?? null);
  const ending: readonly Event[] = over === null ? [] : [{ type: 'host-ending', host: me, why: over }];
  return [...woke, ...ending, ...(observed === null ? [] : brain.reconcile(state, observed, me))];
}

/** What this host takes upon itself now: loops nobody holds, new tasks, the next landing. */
function decide({ world, brain, me }: Hosting, state: State): readonly Event[] {
  if (state.hosts[me]?.state !== 'up') return [];
  const events = claimEvents(state, brain.schedule(state, me, world.clock.nowMs()), me, world.ids);
  const mend = brain.conflictsToMend(state, me).map((loop) => ({ type: 'loop-sent-back', loop, host: me }) as const);
  if (!brain.canLand(state) || isWorthWaiting(state, me, world.clock.nowMs())) return [...events, ...mend];
  return [...events, ...mend, { type: 'landing-started', host: me }];
}

/** Writes what `facts` says of the newest state, and asks again if somebody else wrote first. */
async function write({ journal, me, world }: Hosting, facts: (state: State) => readonly Event[]): Promise<void> {
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
        await world.clock.sleep(ms - (world.clock.awakeMs() % ms), wake.signal);
        wake = null;
      }
      rung = false;
    },
  };
}
