import { verdictOf } from '../loops/odds.ts';
import type { HostId, LoopId, Sha } from '../model/ids.ts';
import type { Host, HostPolicy, Loop, State } from '../model/model.ts';
import { isWorking, loopsOf } from '../model/model.ts';
import type { CommentSeen, JudgedAs, Pull, PullSeen } from '../model/pull.ts';
import { isFollowed } from './pull-events.ts';

/** One thing to do on a forge, or to write down about it. Derived from the state each time, as all wishes are. */
export type PullWish =
  /** Make the head that is to be pushed: the work, its task marked as done, and what was pushed before. */
  | { readonly do: 'name'; readonly loop: LoopId; readonly of: Sha; readonly from: Sha | null }
  | { readonly do: 'take'; readonly loop: LoopId; readonly head: Sha }
  | { readonly do: 'push'; readonly loop: LoopId; readonly head: Sha; readonly expected: Sha | null }
  | { readonly do: 'open'; readonly loop: LoopId }
  | { readonly do: 'answer'; readonly loop: LoopId; readonly number: number; readonly comment: string }
  | { readonly do: 'close'; readonly loop: LoopId; readonly number: number }
  | { readonly do: 'reopen'; readonly loop: LoopId; readonly number: number }
  /** What people said goes to the loop. */
  | { readonly do: 'hear'; readonly loop: LoopId; readonly comments: readonly CommentSeen[] }
  | { readonly do: 'mend'; readonly loop: LoopId; readonly head: Sha }
  | { readonly do: 'set-aside'; readonly loop: LoopId; readonly head: Sha }
  | { readonly do: 'disarm'; readonly loop: LoopId; readonly number: number }
  /** Has an agent of ours look at it. */
  | { readonly do: 'judge'; readonly loop: LoopId; readonly head: Sha }
  /** Looks how it fits with main, has the tree tested that both make, and merges it where that is wanted. */
  | { readonly do: 'settle'; readonly loop: LoopId; readonly number: number; readonly head: Sha };

/** The text of a wish is its name: the same is not begun twice. */
export const keyOf = (wish: PullWish): string =>
  JSON.stringify({ ...wish, comments: 'comments' in wish ? wish.comments.map(({ id }) => id) : 0 });

/** What the host that holds the forge should do there, the most urgent first. */
export function pullWishes(state: State, me: HostId, nowMs: number): readonly PullWish[] {
  const host = state.hosts[me];
  if (host?.policy.forge === undefined || state.forge?.host !== me || isForgeHeld(state, host)) return [];
  const wishes = byNumber(state).flatMap((loop) => loopWishes(host, loop, nowMs));
  // Whoever held the forge before may have sent the same a moment ago.
  const isEasy = nowMs >= (state.forge?.easyAt ?? 0);
  const now = wishes.filter((wish) => isEasy || (wish.do !== 'open' && wish.do !== 'answer'));
  const last = settleWish(state, host) ?? judgeWish(state, host);
  return last === null ? now : [...now, last];
}

/** Nothing is asked there for now. */
export const isForgeHeld = (state: State, { policy }: Host): boolean =>
  (state.accounts[accountOfForge(policy.forge?.host ?? '')]?.hold ?? null) !== null;

export const accountOfForge = (host: string): string => `forge:${host}`;

const byNumber = (state: State): readonly Loop[] =>
  loopsOf(state)
    .filter((loop) => loop.pull !== undefined)
    .sort((a, b) => (a.pull?.number ?? Number.MAX_SAFE_INTEGER) - (b.pull?.number ?? Number.MAX_SAFE_INTEGER));

function loopWishes(host: Host, loop: Loop, nowMs: number): readonly PullWish[] {
  const { pull } = loop;
  if (pull === undefined) return [];
  const wishes: PullWish[] = [];
  const { number } = pull;
  if (number !== null && pull.isReopening === true && loop.phase.at === 'reviewing')
    return [{ do: 'reopen', loop: loop.id, number }];
  if (number !== null && mustClose(loop, pull)) wishes.push({ do: 'close', loop: loop.id, number });
  const [due] = pull.due;
  const isHeardOut = loop.phase.at === 'landed' || loop.phase.at === 'reviewing';
  if (isWorking(loop) && pull.armed !== null && number !== null) wishes.push({ do: 'disarm', loop: loop.id, number });
  const unheard = unheardOf(pull, pull.seen);
  if (unheard.length > 0 && (loop.phase.at === 'reviewing' || isWorking(loop)))
    wishes.push({ do: 'hear', loop: loop.id, comments: unheard });
  if (loop.phase.at === 'reviewing') wishes.push(...reviewingWishes(host, loop, pull, nowMs));
  const isThere = pull.pushed === pull.head;
  if (due !== undefined && number !== null && isHeardOut && isThere && unheard.length === 0)
    wishes.push({ do: 'answer', loop: loop.id, number, comment: due });
  return wishes;
}

function reviewingWishes({ policy }: Host, loop: Loop, pull: Pull, nowMs: number): readonly PullWish[] {
  const { id, head: work } = loop;
  const { head, pushed, seen } = pull;
  if (work === null) return [];
  if (pull.of !== work || head === null || !pull.isTicked) return [{ do: 'name', loop: id, of: work, from: head }];
  const isArmedElsewhere = pull.armed !== null && pull.armed !== head && pull.number !== null;
  if (isArmedElsewhere && pull.number !== null) return [{ do: 'disarm', loop: id, number: pull.number }];
  if (pull.isMoved) return [{ do: 'take', loop: id, head }];
  if (pushed !== head) return [{ do: 'push', loop: id, head, expected: pushed }];
  if (pull.number === null) return [{ do: 'open', loop: id }];
  if (seen === null || seen.head !== head || seen.state !== 'open') return [];
  if (seen.checks.verdict === 'red') {
    const isOver = pull.sentFor.includes(head) || pull.rounds >= (policy.forge?.rounds ?? 0);
    return [{ do: isOver ? 'set-aside' : 'mend', loop: id, head }];
  }
  const isLate = seen.checks.verdict === 'none' && nowMs - seen.checksAt > (policy.forge?.ciDeadlineMs ?? 0);
  return isLate && policy.forge?.checks === 'required' ? [{ do: 'set-aside', loop: id, head }] : [];
}

/** Thrown away, freed, done by another, or on the target by another way: it does not stay open. */
function mustClose({ phase }: Loop, pull: Pull): boolean {
  if (pull.isLeftOpen) return true;
  if (phase.at !== 'parked' || pull.seen?.state !== 'open') return false;
  return phase.reason === 'duplicate' || phase.reason === 'discarded' || phase.reason === 'reset';
}

/** What was said and the loop was not given. */
function unheardOf(pull: Pull, seen: PullSeen | null): readonly CommentSeen[] {
  const said = seen === null ? [] : [...seen.comments, ...seen.reviews.flatMap(wordsOf)];
  return said.filter(({ id, counts, text }) => counts && text.trim() !== '' && !pull.heard.includes(id));
}

/** What a review says beside its lines. Who approves and says something wants no more work. */
function wordsOf({ id, by, counts, text, state }: PullSeen['reviews'][number]): readonly CommentSeen[] {
  return state === 'approved' || state === 'dismissed'
    ? []
    : [{ id, by, counts, text, path: null, line: null, mark: null }];
}

export type PullRules = Pick<HostPolicy, 'target' | 'forge'>;

/** What of a pull request is known to keep us from merging it; null: nothing but the proof is left. */
export function whyNotMerged(state: State, policy: PullRules, loop: Loop, seen: PullSeen): string | null {
  const { pull } = loop;
  if (pull === undefined || seen.state !== 'open' || loop.phase.at !== 'reviewing') return 'it is not open';
  if (seen.target !== (loop.target ?? policy.target))
    return `it goes into ${seen.target}, not into ${loop.target ?? policy.target}`;
  if (seen.isDraft) return 'it is a draft';
  if (seen.head !== pull.head || pull.pushed !== pull.head || pull.of !== loop.head) return 'it has another head';
  if (!pull.isTicked) return 'its task is not marked as done in it';
  if (unheardOf(pull, seen).length > 0) return 'a comment is not read yet';
  if (pull.due.length > 0) return 'a comment is not answered yet';
  const { verdict } = seen.checks;
  const needsChecks = policy.forge?.checks === 'required';
  if (verdict === 'red' || (verdict === 'pending' && needsChecks)) return `its checks are ${verdict}`;
  if (verdict === 'none' && needsChecks)
    return 'it has no check yet; in a repository without CI: forge.checks = "none"';
  const last = lastReviews(seen);
  if (last.some((one) => one.state === 'changes')) return 'changes are requested';
  const approved = isApproved(pull, last);
  // What is protected or too large is for a person.
  if (pull.needs !== null && !approved) return `a person has to approve it: it ${pull.needs}`;
  if (policy.forge?.needsReview === true && !approved && judgedAs(pull) !== 'approved') return unapproved(pull);
  if (pull.refused !== null && pull.refused.times >= 3) return `the forge refuses it: ${pull.refused.why}`;
  if (isDoneByAnother(state, loop)) return 'its task is done on the target';
  return null;
}

/** Open on the forge by now, with a head there that nobody has looked at. */
const isUnseen = ({ phase, pull }: Loop): boolean =>
  phase.at === 'reviewing' &&
  pull !== undefined &&
  pull.number !== null &&
  pull.pushed === pull.head &&
  pull.seen?.head !== pull.head;

/** No person is needed for what comes next: checks run, or the forge merges it. */
export function isAwaited(policy: PullRules, loop: Loop): boolean {
  const { phase, pull } = loop;
  if (phase.at !== 'reviewing' || pull === undefined) return false;
  const { seen } = pull;
  if (seen === null || seen.head !== pull.head || seen.isDraft || seen.target !== (loop.target ?? policy.target))
    return false;
  if (pull.armed === pull.head) return true;
  const isHeld = lastReviews(seen).some((one) => one.state === 'changes') || needsApproval(policy, pull, seen);
  const isRunning = seen.checks.verdict === 'pending' || seen.checks.verdict === 'none';
  return !isHeld && isRunning && policy.forge?.checks === 'required';
}

const needsApproval = ({ forge }: PullRules, pull: Pull, seen: PullSeen): boolean =>
  (pull.needs !== null || (forge?.needsReview === true && forge.reviewer === undefined)) &&
  !isApproved(pull, lastReviews(seen));

/** Something there has to be looked at soon: what this host merges by itself hangs on it. */
export const hasUnseen = (state: State, policy: PullRules): boolean =>
  policy.forge !== undefined && policy.forge.merge !== 'person' && loopsOf(state).some(isUnseen);

/** What a reviewing agent made of this head, or of one that only had the base merged into it since. */
const judgedAs = (pull: Pull): JudgedAs | undefined =>
  headsLike(pull)
    .map((one) => pull.judged?.[one])
    .find((one) => one !== undefined);

const UNAPPROVED = 'this head has no approval';

function unapproved(pull: Pull): string {
  const judged = judgedAs(pull);
  if (judged === 'silent') return 'its reviewer gave no verdict; a person has to approve it';
  return judged === 'changes' ? 'its reviewer wants changes' : UNAPPROVED;
}

/** Where everything else is well, and this host merges: the reviewing agent is asked, once for a head. */
function judgeWish(state: State, { policy }: Host): PullWish | null {
  if (policy.forge?.reviewer === undefined || policy.forge.merge !== 'merger') return null;
  for (const loop of byNumber(state)) {
    const { pull } = loop;
    if (pull === undefined || pull.number === null || pull.seen === null || pull.head === null) continue;
    if (isFollowed(loop) && whyNotMerged(state, policy, loop, pull.seen) === UNAPPROVED)
      return { do: 'judge', loop: loop.id, head: pull.head };
  }
  return null;
}

function isDoneByAnother(state: State, loop: Loop): boolean {
  const landed = state.landed[loop.task];
  return landed !== undefined && landed.loop !== loop.id;
}

/** The last word of each person; a comment takes nothing back. */
function lastReviews({ reviews }: PullSeen): readonly PullSeen['reviews'][number][] {
  const last = new Map<string, PullSeen['reviews'][number]>();
  for (const one of reviews) if (one.state !== 'commented' && one.counts) last.set(one.by, one);
  return [...last.values()];
}

/** Of this head, or of one that only had the base merged into it since. */
const isApproved = (pull: Pull, last: readonly PullSeen['reviews'][number][]): boolean =>
  headsLike(pull).some((one) => last.some((review) => review.state === 'approved' && review.head === one));

/** The head, and those it was made of by nothing but a clean merge of the base. */
function headsLike({ head, same }: Pull): readonly Sha[] {
  const heads: Sha[] = [];
  for (let one: Sha | undefined = head ?? undefined; one !== undefined; one = same[one]) heads.push(one);
  return heads;
}

/** One at a time, the oldest first: what comes after it is proved on what it leaves. */
function settleWish(state: State, host: Host): PullWish | null {
  if (state.integration === null) return null;
  for (const loop of byNumber(state)) {
    const { pull } = loop;
    if (pull === undefined || pull.number === null || pull.seen === null || pull.head === null) continue;
    if (!isFollowed(loop) || whyNotMerged(state, host.policy, loop, pull.seen) !== null) continue;
    return { do: 'settle', loop: loop.id, number: pull.number, head: pull.head };
  }
  return null;
}

/** Whether our gates have passed this tree. */
export const isProved = (state: State, { policy }: Host, tree: Sha): boolean =>
  !policy.hasGates || verdictOf(state, policy.gatesHash, tree) === 'green';
