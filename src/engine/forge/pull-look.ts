import type { Event } from '../../core/model/events.ts';
import type { LoopId, Sha } from '../../core/model/ids.ts';
import { loopsOf } from '../../core/model/model.ts';
import type { PullSeen } from '../../core/model/pull.ts';
import { isFollowed } from '../../core/pull/pull-events.ts';
import { whyNotMerged } from '../../core/pull/pull-wishes.ts';
import type { PullFacts, PullRow } from '../../world/contract/forge.ts';
import { loopOf, mainNow, targetOf } from './pull-context.ts';
import type { PullContext, Pulled } from './pull-context.ts';
import { closeDoubles } from './pull-open.ts';

/** The forge writes whole seconds, and its lists lag: believed when it was read so long after. */
const LAG_MS = 30_000;
/** How often what is settled is asked again. */
const SETTLED_MS = 30 * 60_000;

/** What one process remembers of its looks; it may be lost at any time. */
export interface LookMemory {
  baseAtMs: number;
  readonly checkedAtMs: Map<number, { readonly head: Sha; readonly atMs: number }>;
}

export const newLookMemory = (): LookMemory => ({ baseAtMs: Number.NEGATIVE_INFINITY, checkedAtMs: new Map() });

/** One look: the list, and then only what changed of it. */
export async function lookAtPulls(context: PullContext, memory: LookMemory): Promise<readonly Event[]> {
  const { door, state, world } = context;
  const mine = loopsOf(state())
    .filter(isFollowed)
    .map(({ id }) => id);
  const rows = mine.length === 0 ? [] : await door.forge.rows();
  const isStir = mine.some((id) => isChanged(rows, loopOf(context, id)));
  const isNear = mine.some((id) => isNearly(context, id));
  if (isStir || isNear || world.clock.awakeMs() - memory.baseAtMs >= SETTLED_MS) {
    await mainNow(context);
    memory.baseAtMs = world.clock.awakeMs();
  }
  const news: Event[] = [];
  for (const id of mine) {
    const loop = loopOf(context, id);
    const row = rows.find(({ number }) => number === loop.pull.number) ?? null;
    if (loop.pull.number === null) continue;
    await closeDoubles(context, loop, rows);
    news.push(...(await lookAtOne(context, memory, loop, row)));
  }
  return news;
}

const isChanged = (rows: readonly PullRow[], { pull }: Pulled): boolean =>
  rows.some((row) => row.number === pull.number && (pull.seen === null || !isAsSeen(row, pull.seen)));

/** Not every forge counts a push as a change. */
const isAsSeen = (row: PullRow, seen: PullSeen): boolean =>
  row.updated === seen.updated && row.head === seen.head && row.state === seen.state && row.target === seen.target;

function isNearly(context: PullContext, id: LoopId): boolean {
  const host = context.host();
  const loop = loopOf(context, id);
  return (
    host !== null &&
    loop.pull.seen !== null &&
    whyNotMerged(context.state(), host.policy, loop, loop.pull.seen) === null
  );
}

async function lookAtOne(
  context: PullContext,
  memory: LookMemory,
  loop: Pulled,
  row: PullRow | null,
): Promise<readonly Event[]> {
  const { forge } = context.door;
  const { number, seen: last } = loop.pull;
  if (number === null) return [];
  const nowMs = context.world.clock.nowMs();
  const isNew = last === null || row === null || !last.isSure || !isAsSeen(row, last);
  if (!isNew && last.state === 'closed') return [];
  let seen = last;
  if (isNew) {
    const facts = await forge.pull(number);
    const merged = mergedEvent(context, loop, facts);
    if (merged !== null) return [merged];
    seen = await readPull(context, loop, facts);
  }
  if (seen === null) return [];
  const known = memory.checkedAtMs.get(number);
  const isSettled = known?.head === seen.head && (seen.checks.verdict === 'green' || seen.checks.verdict === 'red');
  const isRecent = isSettled && context.world.clock.awakeMs() - known.atMs < SETTLED_MS && !isNew;
  if (seen.state === 'open' && !isRecent) {
    const checks = await forge.checks(seen.head);
    const isSame = last?.head === seen.head && last.checks.verdict === checks.verdict;
    seen = { ...seen, checks, checksAt: isSame ? last.checksAt : nowMs };
    memory.checkedAtMs.set(number, { head: seen.head, atMs: context.world.clock.awakeMs() });
  }
  return JSON.stringify(seen) === JSON.stringify(last) ? [] : [{ type: 'pull-seen', loop: loop.id, seen }];
}

/** Everything about one pull request but its checks, which are of a head and asked by themselves. */
export async function readPull(context: PullContext, loop: Pulled, facts: PullFacts): Promise<PullSeen> {
  const { forge } = context.door;
  const reviews = await forge.reviews(facts.number);
  const comments = await forge.comments(facts.number);
  const nowMs = context.world.clock.nowMs();
  const last = loop.pull.seen;
  const isSameHead = last?.head === facts.head;
  return {
    state: facts.state,
    head: facts.head,
    target: facts.target,
    checks: isSameHead ? last.checks : { verdict: 'none', failed: [] },
    checksAt: isSameHead ? last.checksAt : nowMs,
    reviews,
    // What strangers say is nobody's work, and what we say is known.
    comments: comments.filter(({ counts, mark }) => counts || mark !== null),
    canMerge: facts.canMerge,
    isDraft: facts.isDraft,
    updated: facts.updated,
    isSure: nowMs >= Date.parse(facts.updated) + LAG_MS,
  };
}

/** Only into the target it is believed; null: it was not merged. */
export function mergedEvent(context: PullContext, loop: Pulled, facts: PullFacts): Event | null {
  if (!facts.isMerged || facts.mergeCommit === null) return null;
  if (facts.target === targetOf(context, loop))
    return { type: 'pull-merged', loop: loop.id, commit: facts.mergeCommit, isProved: false };
  const detail = `#${facts.number} was merged into ${facts.target}, not into ${targetOf(context, loop)}`;
  return { type: 'pull-parked', loop: loop.id, head: null, why: 'merged-elsewhere', detail };
}
