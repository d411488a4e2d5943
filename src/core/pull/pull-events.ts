import { recordVerdict } from '../loops/odds.ts';
import { withLoop } from '../loops/draft.ts';
import { park } from '../loops/loop.ts';
import { sendBack } from '../loops/rework.ts';
import { unreachable } from '../model/assert.ts';
import type { Stamp } from '../model/events.ts';
import type { PullEvent } from '../model/pull-event.ts';
import type { Sha } from '../model/ids.ts';
import type { Loop, State } from '../model/model.ts';
import type { ForgeHold, Pull, PullSeen, Stuck } from '../model/pull.ts';
import { NO_PULL } from '../model/pull.ts';
import { landLoop } from '../train/board.ts';

type OfLoop = Extract<PullEvent, { readonly loop: Loop['id'] }>;

/** Who took over waits so long before it opens or says anything: what the other sent may still arrive. */
const UNEASY_MS = 60_000;
const NOBODY: ForgeHold = { host: null, easyAt: 0, isUneasy: false, askedAt: 0 };

/** What became of pull requests. What names another head than the one that counts by now changes nothing. */
export function applyPullEvent(state: State, event: PullEvent, stamp: Stamp): State {
  switch (event.type) {
    case 'forge-taken':
      return takeForge(state, event, stamp);
    case 'forge-held': {
      const { account, kind, untilMs, detail } = event;
      const before = state.accounts[account] ?? { hold: null, warnedUntilMs: null, strikes: 0 };
      const hold = { kind, untilMs, detail, since: stamp.at };
      return { ...state, accounts: { ...state.accounts, [account]: { ...before, hold } } };
    }
    case 'pulls-asked':
      return { ...state, forge: { ...(state.forge ?? NOBODY), askedAt: stamp.at } };
    default: {
      const loop = state.loops[event.loop];
      return loop === undefined ? state : applyToLoop(state, loop, event, stamp);
    }
  }
}

function takeForge(state: State, { host }: Extract<PullEvent, { type: 'forge-taken' }>, { at }: Stamp): State {
  const before = state.forge ?? NOBODY;
  if (before.host !== null || state.hosts[host]?.state !== 'up') return state;
  return {
    ...state,
    forge: { ...before, host, easyAt: before.isUneasy ? at + UNEASY_MS : before.easyAt, isUneasy: false },
  };
}

/** Whoever held the forge is gone or suspended: what it sent last may still arrive. */
export function letGoForge(state: State, host: string, isUneasy: boolean): State {
  const { forge } = state;
  return forge?.host === host ? { ...state, forge: { ...forge, host: null, isUneasy } } : state;
}

function applyToLoop(state: State, loop: Loop, event: OfLoop, stamp: Stamp): State {
  const pull = loop.pull ?? NO_PULL;
  const set = (change: Partial<Pull>): State => withLoop(state, { ...loop, pull: { ...pull, ...change } });
  switch (event.type) {
    case 'pull-asked':
      return askPull(state, loop, event.head, stamp);
    case 'branch-named':
      return loop.phase.at !== 'reviewing' || pull.head !== event.from || loop.head !== event.of
        ? state
        : set(named(pull, event));
    case 'branch-pushed':
      return set({ pushed: event.head, isMoved: false });
    case 'branch-moved':
      if (event.want !== pull.head) return state;
      return set({ isMoved: event.how === 'theirs', ...(event.how === 'theirs' ? {} : { pushed: event.head }) });
    case 'pull-opened':
      return pull.number === null ? set({ number: event.number, url: event.url }) : state;
    case 'pull-seen':
      return withLoop(state, seePull(loop, pull, event.seen, stamp));
    case 'pull-merged':
      return mergedPull(state, loop, pull, event, stamp);
    case 'pull-heard': {
      const fresh = event.comments.filter((id) => !pull.heard.includes(id));
      const rounds = pull.rounds + (loop.phase.at === 'reviewing' ? 1 : 0);
      return set({ rounds, heard: [...pull.heard, ...fresh], due: [...pull.due, ...fresh] });
    }
    case 'comment-answered':
      return set({ due: pull.due.filter((id) => id !== event.comment) });
    case 'pull-ended':
      return set({ isLeftOpen: false, seen: pull.seen === null ? null : { ...pull.seen, state: 'closed' } });
    case 'pull-reopened':
      return set({ isReopening: false, seen: null });
    case 'pull-armed':
      return set({ armed: event.head });
    case 'merge-refused':
      return withLoop(state, refusedMerge(loop, pull, event, stamp));
    case 'pull-returned':
      return returned(state, loop, pull, event, stamp);
    case 'pull-parked': {
      const isAboutThis = event.head === null || event.head === pull.head;
      return loop.phase.at === 'landed' || !isAboutThis
        ? state
        : withLoop(state, parkFor(loop, pull, event.why, event.detail, stamp));
    }
    case 'pull-judged':
      return set({ judged: { ...pull.judged, [event.head]: event.verdict } });
    case 'pull-tested':
      return recordVerdict(state, event.gatesHash, event.tree, event.report.verdict);
    default:
      return unreachable(event);
  }
}

/** Ready work, or work that waits for a person, goes the way of a pull request; the branch may have moved since. */
function askPull(state: State, loop: Loop, head: Sha, stamp: Stamp): State {
  const { phase } = loop;
  if (phase.at !== 'ready' && phase.at !== 'parked') return state;
  const needs = phase.at === 'parked' && isHeldWork(phase.reason) ? phase.detail : null;
  const before = loop.pull ?? NO_PULL;
  const pull = { ...before, needs, stuck: null, isReopening: before.seen?.state === 'closed' };
  return withLoop(state, { ...loop, head, host: null, phase: { at: 'reviewing' }, since: stamp.at, pull });
}

const isHeldWork = (reason: string): boolean => reason === 'protected' || reason === 'too-large';

function named(pull: Pull, event: Extract<OfLoop, { type: 'branch-named' }>): Partial<Pull> {
  const { from, of, head, isTicked, keeps, theirs } = event;
  return {
    of,
    head,
    isTicked,
    same: keeps === true && from !== null ? { ...pull.same, [head]: from } : pull.same,
    ...(theirs === undefined ? {} : { pushed: theirs, isMoved: false }),
  };
}

function parkFor(loop: Loop, pull: Pull, why: Stuck, detail: string, stamp: Stamp): Loop {
  const parked = park(loop, why === 'duplicate' ? 'duplicate' : 'pull-request', detail, stamp);
  return { ...parked, pull: { ...pull, stuck: why, isReopening: false } };
}

/** Back in review, where what it was put aside for is over. */
function again(loop: Loop, pull: Pull, stamp: Stamp): Loop {
  return { ...loop, host: null, phase: { at: 'reviewing' }, since: stamp.at, pull: { ...pull, stuck: null } };
}

const isFor = (loop: Loop, pull: Pull, ...why: readonly Stuck[]): boolean =>
  loop.phase.at === 'parked' && pull.stuck !== null && why.includes(pull.stuck);

function seePull(loop: Loop, pull: Pull, seen: PullSeen, stamp: Stamp): Loop {
  if (loop.phase.at === 'landed') return loop;
  const isSame = pull.seen !== null && sameFacts(pull.seen, seen);
  const isOurs = seen.head === pull.head;
  const moved = isOurs ? { pushed: seen.head } : seen.head === pull.pushed ? {} : { isMoved: true };
  const next: Pull = { ...pull, ...moved, seen, refused: isSame ? pull.refused : null };
  const withSeen: Loop = { ...loop, pull: next };
  if (seen.state === 'closed')
    return loop.phase.at === 'parked' || pull.isReopening === true
      ? withSeen
      : parkFor(withSeen, next, 'closed', 'its pull request was closed', stamp);
  if (isFor(loop, pull, 'closed', 'unchecked') && (pull.stuck === 'closed' || seen.checks.verdict !== 'none'))
    return again(withSeen, next, stamp);
  // Run again and green, or mended by hand.
  if (isFor(loop, pull, 'unmended') && (seen.checks.verdict !== 'red' || !isOurs)) return again(withSeen, next, stamp);
  if (isFor(loop, pull, 'refused') && !isSame) return again(withSeen, next, stamp);
  return withSeen;
}

const sameFacts = (a: PullSeen, b: PullSeen): boolean =>
  a.head === b.head &&
  a.target === b.target &&
  a.checks.verdict === b.checks.verdict &&
  a.reviews.length === b.reviews.length &&
  a.canMerge === b.canMerge;

/** Believed in every phase: whatever the loop was about, it is on the target. */
function mergedPull(
  state: State,
  loop: Loop,
  pull: Pull,
  { commit, isLeftOpen }: Extract<OfLoop, { type: 'pull-merged' }>,
  stamp: Stamp,
): State {
  if (loop.phase.at === 'landed') return state;
  const noted = { ...loop, pull: { ...pull, isLeftOpen: isLeftOpen === true, stuck: null } };
  return landLoop(withLoop(state, noted), loop.id, commit, stamp);
}

const REFUSALS_MAX = 3;

function refusedMerge(loop: Loop, pull: Pull, event: Extract<OfLoop, { type: 'merge-refused' }>, stamp: Stamp): Loop {
  const times = (pull.refused?.times ?? 0) + 1;
  const seen = pull.seen === null ? null : { ...pull.seen, isSure: false };
  const next: Pull = { ...pull, seen, refused: { times, why: event.why } };
  const isOver = event.isLost === true || (times >= REFUSALS_MAX && event.head === pull.head);
  if (loop.phase.at !== 'reviewing' || !isOver) return { ...loop, pull: next };
  return parkFor(loop, next, 'refused', `the forge does not merge it: ${event.why}`, stamp);
}

/** Red checks go back once for a head; what does not fit as often as there are rounds. */
function returned(
  state: State,
  loop: Loop,
  pull: Pull,
  event: Extract<OfLoop, { type: 'pull-returned' }>,
  stamp: Stamp,
): State {
  const { head, why, detail, report, paths } = event;
  const isTwice = why === 'checks' && pull.sentFor.includes(head);
  if (loop.phase.at !== 'reviewing' || pull.head !== head || isTwice) return state;
  const sentFor = why === 'checks' ? [...pull.sentFor, head] : pull.sentFor;
  const trouble = { kind: why, by: 'owner', with: [], paths, detail } as const;
  const back = sendBack({ ...loop, pull: { ...pull, sentFor, rounds: pull.rounds + 1 } }, trouble, stamp);
  return withLoop(state, report === null ? back : { ...back, lastGate: report });
}

/** Followed on the forge: there is a pull request, and it is neither landed nor somebody else's by now. */
export const isFollowed = (loop: Loop): boolean =>
  loop.pull !== undefined &&
  loop.pull.number !== null &&
  loop.phase.at !== 'landed' &&
  loop.pull.stuck !== 'merged-elsewhere';
