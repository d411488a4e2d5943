import { AppError } from '../../core/model/errors.ts';
import type { Event } from '../../core/model/events.ts';
import type { HostId } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import { loopsOf } from '../../core/model/model.ts';
import { isFollowed } from '../../core/pull/pull-events.ts';
import { accountOfForge, hasUnseen, isAwaited, isForgeHeld, keyOf, pullWishes } from '../../core/pull/pull-wishes.ts';
import type { PullWish } from '../../core/pull/pull-wishes.ts';
import { createBackOff } from '../trouble/back-off.ts';
import type { BackOff } from '../trouble/back-off.ts';
import { nameHead, pushHead, takeHead } from './pull-branch.ts';
import type { PullContext } from './pull-context.ts';
import { hearComments } from './pull-hear.ts';
import { lookAtPulls, newLookMemory } from './pull-look.ts';
import type { LookMemory } from './pull-look.ts';
import { judgePull } from './pull-judge.ts';
import { mendChecks, setAside } from './pull-mend.ts';
import { answer, closePull, openPull, reopenPull } from './pull-open.ts';
import { settlePull } from './pull-settle.ts';
import type { Fits } from './pull-settle.ts';

export interface ForgeFollower {
  /** Does the next thing there is to do on the forge; never waits for it. */
  readonly follow: (state: State, me: HostId) => void;
  /** What happened since the last call. */
  readonly take: () => readonly Event[];
  /** That this host speaks to the forge, where none does and there is something to do. */
  readonly claim: (state: State, me: HostId) => readonly Event[];
  /** Nothing is left to do there now. */
  readonly isIdle: (state: State, me: HostId) => boolean;
  readonly stop: () => Promise<void>;
}

/** After news, doubling while nothing happens. */
const GAP_MIN_MS = 15_000;
const GAP_MAX_MS = 10 * 60_000;
/** While checks run. */
const GAP_CHECKS_MS = 60_000;
/** After a head was pushed that this host may merge. */
const GAP_UNSEEN_MS = 2000;
const RETRY_MAX_MS = 60_000;
/** What was lost on its way may show up late. */
const AFTER_FAILURE_MS = 5000;
/** What came to nothing so often is left to the next run. */
const TRIES_MAX = 4;
/** Nobody waits longer for a forge that does not answer. */
const MISSES_MAX = 12;

const IDLE: ForgeFollower = {
  follow: () => {},
  take: () => [],
  claim: () => [],
  isIdle: () => true,
  stop: () => Promise.resolve(),
};

/** What one process remembers while it follows; lost, all of it is found out once more. */
interface Following {
  under: Promise<void> | null;
  events: readonly Event[];
  lookedAtMs: number;
  askedAt: number;
  gapMs: number;
  /** Looks in a row that got no answer. */
  misses: number;
  /** Looks in a row that showed nothing new. */
  blanks: number;
  said: string;
  readonly memory: LookMemory;
  readonly fits: Fits;
  readonly backOff: BackOff;
  readonly stopping: AbortController;
}

type FollowOrder = Omit<PullContext, 'signal' | 'door' | 'host'> & { readonly me: HostId };

/** Follows pull requests beside everything else, one request after the other. One host at a time has the forge. */
export function createForgeFollower(order: FollowOrder, onDone: () => void): ForgeFollower {
  const { world, policy, state: now, me } = order;
  const door = world.forge;
  if (door === null || policy.forge === undefined) return IDLE;
  const own: Following = {
    under: null,
    events: [],
    lookedAtMs: Number.NEGATIVE_INFINITY,
    askedAt: 0,
    gapMs: GAP_MIN_MS,
    misses: 0,
    blanks: 0,
    said: '',
    memory: newLookMemory(),
    fits: new Set(),
    backOff: createBackOff(world.clock),
    stopping: new AbortController(),
  };
  const context: PullContext = { ...order, door, signal: own.stopping.signal, host: () => now().hosts[me] ?? null };
  return {
    follow: (state) => {
      const host = state.hosts[me];
      if (own.under !== null || own.stopping.signal.aborted || own.events.length > 0 || host?.state !== 'up') return;
      if (state.forge?.host !== me || isForgeHeld(state, host)) return;
      const wish = nextWish(own, context, state, me);
      const next = wish === null ? nextLook(own, context, state) : actOn(context, own.fits, wish);
      if (next === null) return;
      own.under = next
        .act()
        .then((found) => ended(own, next.key, found))
        .catch((error: unknown) => failed(own, context, next.key, error))
        .finally(() => {
          own.under = null;
          onDone();
        });
    },
    take: () => {
      const taken = own.events;
      own.events = [];
      return taken;
    },
    claim: (state) => {
      const isFree = (state.forge?.host ?? null) === null && state.hosts[me]?.state === 'up' && hasPulls(state);
      return isFree ? [{ type: 'forge-taken', host: me }] : [];
    },
    isIdle: (state) => isIdle(own, context, state, me),
    stop: async () => {
      own.stopping.abort();
      await own.under;
    },
  };
}

interface Act {
  readonly key: string;
  readonly act: () => Promise<readonly Event[]>;
}

const actOn = (context: PullContext, fits: Fits, wish: PullWish): Act => ({
  key: keyOf(wish),
  act: () => perform(context, fits, wish),
});

function nextWish({ backOff, fits }: Following, { world }: PullContext, state: State, me: HostId): PullWish | null {
  const wishes = pullWishes(state, me, world.clock.nowMs());
  return wishes.find((wish) => !backOff.isTooEarly(keyOf(wish)) && !isSettled(wish, state, fits)) ?? null;
}

/** Null: it is not time for one, or what is left of the hour is for what has to be written. */
function nextLook(own: Following, context: PullContext, state: State): Act | null {
  const { clock } = context.world;
  const isSoon = own.misses === 0 && own.blanks < MISSES_MAX && hasUnseen(state, context.policy);
  const gapMs = isSoon ? Math.min(own.gapMs, GAP_UNSEEN_MS) : own.gapMs;
  const isDue = clock.awakeMs() - own.lookedAtMs >= gapMs || (state.forge?.askedAt ?? 0) > own.askedAt;
  if (!isDue || context.door.forge.budget().isScarce || !hasPulls(state)) return null;
  const act = async (): Promise<readonly Event[]> => {
    own.askedAt = state.forge?.askedAt ?? 0;
    const found = await lookAtPulls(context, own.memory);
    own.lookedAtMs = clock.awakeMs();
    own.misses = 0;
    own.blanks = found.length > 0 ? 0 : own.blanks + 1;
    own.gapMs = nextGap(context.state(), found.length > 0, own.gapMs);
    return found;
  };
  return { key: LOOK, act };
}

function ended(own: Following, key: string, found: readonly Event[]): void {
  own.events = [...own.events, ...found];
  if (found.length > 0) own.gapMs = GAP_MIN_MS;
  else if (key !== LOOK) own.backOff.add(key, RETRY_MAX_MS);
  own.said = '';
}

/** The forge waits, loops do not. */
function failed(own: Following, { door, world, policy, onWarning }: PullContext, key: string, error: unknown): void {
  if (own.stopping.signal.aborted) return;
  if (!(error instanceof AppError)) throw error;
  const { held } = door.forge.budget();
  const account = accountOfForge(policy.forge?.host ?? '');
  if (held !== null) own.events = [...own.events, { type: 'forge-held', account, ...held }];
  own.backOff.add(key, RETRY_MAX_MS);
  if (key === LOOK)
    Object.assign(own, { lookedAtMs: world.clock.awakeMs(), gapMs: AFTER_FAILURE_MS, misses: own.misses + 1 });
  const line = [error.message, ...error.facts].join(': ');
  if (line !== own.said) onWarning(`${line} (pull requests wait; loops continue)`);
  own.said = line;
}

function isIdle(own: Following, { world, policy }: PullContext, state: State, me: HostId): boolean {
  const host = state.hosts[me];
  if (!hasPulls(state) || host === undefined || isForgeHeld(state, host)) return true;
  // Another host has it, and stays for it.
  if (state.forge?.host !== me) return (state.forge?.host ?? null) !== null;
  if (policy.forge?.isFollowing === true && loopsOf(state).some(isOpen)) return false;
  const isMissing = own.misses >= MISSES_MAX;
  const { isAwaiting = false } = policy.forge ?? {};
  if (isAwaiting && !isMissing && loopsOf(state).some((loop) => isAwaited(policy, loop))) return false;
  const isLookedAt = own.lookedAtMs > Number.NEGATIVE_INFINITY && state.forge.askedAt <= own.askedAt;
  if (own.under !== null || own.events.length > 0 || !isLookedAt) return false;
  // A forge that never shows what was pushed is not waited for.
  if (!isMissing && own.blanks < MISSES_MAX && hasUnseen(state, policy)) return false;
  // What waits until nothing of another host can arrive any more is still to be done.
  const soonMs = Math.max(world.clock.nowMs(), state.forge.easyAt);
  return pullWishes(state, me, soonMs).every(
    (wish) => isSettled(wish, state, own.fits) || own.backOff.tries(keyOf(wish)) >= TRIES_MAX,
  );
}

/** Also one that was put aside for a person: what they do there brings it back. */
const isOpen = (loop: Loop): boolean => isFollowed(loop) && loop.pull?.seen?.state !== 'closed';

const LOOK = 'look';

const hasPulls = (state: State): boolean =>
  loopsOf(state).some(
    (loop) =>
      loop.pull !== undefined && (loop.phase.at !== 'landed' || loop.pull.isLeftOpen || loop.pull.due.length > 0),
  );

/** Found out to fit with main as it is, where another merges it. */
const isSettled = (wish: PullWish, { integration }: State, fits: Fits): boolean =>
  wish.do === 'settle' && fits.has(`${integration ?? ''}:${wish.head}`);

function nextGap(state: State, isNews: boolean, gapMs: number): number {
  if (isNews) return GAP_MIN_MS;
  const isChecking = loopsOf(state).some(
    ({ phase, pull }) =>
      phase.at === 'reviewing' && (pull?.seen?.checks.verdict === 'pending' || pull?.seen?.checks.verdict === 'none'),
  );
  return Math.min(isChecking ? GAP_CHECKS_MS : GAP_MAX_MS, gapMs * 2);
}

function perform(context: PullContext, fits: Fits, wish: PullWish): Promise<readonly Event[]> {
  switch (wish.do) {
    case 'name':
      return nameHead(context, wish);
    case 'take':
      return takeHead(context, wish);
    case 'push':
      return pushHead(context, wish);
    case 'open':
      return openPull(context, wish);
    case 'answer':
      return answer(context, wish);
    case 'close':
      return closePull(context, wish);
    case 'reopen':
      return reopenPull(context, wish);
    case 'hear':
      return Promise.resolve(hearComments(context, wish));
    case 'mend':
      return mendChecks(context, wish);
    case 'set-aside':
      return Promise.resolve(setAside(context, wish));
    case 'disarm':
      return disarm(context, wish);
    case 'judge':
      return judgePull(context, wish);
    case 'settle':
      return settlePull(context, fits, wish);
  }
}

async function disarm(
  { door }: PullContext,
  { loop, number }: Extract<PullWish, { readonly do: 'disarm' }>,
): Promise<readonly Event[]> {
  await door.forge.disarm(number);
  return [{ type: 'pull-armed', loop, head: null }];
}
