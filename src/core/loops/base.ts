import { openLoops } from './draft.ts';
import { canAdopt } from './withdrawn.ts';
import { isWorking } from '../model/model.ts';
import { findTask, inOrder } from '../model/tasks.ts';
import { sawVerdict, withOdds, recordVerdict, verdictOf } from './odds.ts';
import type { Base, BaseRed, Mending } from '../model/base-model.ts';
import type { Event, Stamp } from '../model/events.ts';
import type { HostId, LoopId, Sha } from '../model/ids.ts';
import type { HostPolicy, Loop, State } from '../model/model.ts';

/** So many claims of done on top of a red main turned out red: nobody here mends it. */
const CLAIMS_MAX = 2;
/** Gates and environments whose base is remembered. */
const BASES_MAX = 8;
const UNTRIED: Mending = { claims: 0, done: null };

type Judging = Pick<HostPolicy, 'base' | 'gatesHash' | 'tracker'>;
type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** How main itself fails under the gates of a host that asks; null: it does not, as far as known. */
export const redBase = (state: State, { base, gatesHash }: Pick<HostPolicy, 'base' | 'gatesHash'>): BaseRed | null =>
  base === 'off' ? null : (state.bases[gatesHash]?.red ?? null);

/** The same, where that holds its loops back. */
export const holdingBase = (state: State, policy: Judging): BaseRed | null =>
  policy.base === 'hold' ? redBase(state, policy) : null;

/** A policy as the last host under it joined: what was copied and set up for its gates is part of their hash, and known to a host alone. */
export function asLastJoined(state: State, policy: HostPolicy): HostPolicy {
  const known = Object.keys(state.bases).findLast((hash) => hash.startsWith(`${policy.gatesHash}-`));
  return known === undefined ? policy : { ...policy, gatesHash: known };
}

/** While main itself fails, only the loop of the earliest task goes on. */
export function isHeldBack(state: State, policy: Judging, loop: Pick<Loop, 'id'>): boolean {
  return holdingBase(state, policy) !== null && loneLoop(state, policy)?.id !== loop.id;
}

/**
 * The loop of the earliest task that a host works on, else of one that waits; null: there is none, one is done and has to land
 * first, or enough was tried. Who goes on stays it: what a person resumes meanwhile waits.
 */
export function loneLoop(state: State, policy: Judging): Loop | null {
  if (isTried(state, policy)) return null;
  const { tracker } = policy;
  const order = new Map(inOrder(state.trackers[tracker]?.tasks ?? []).map((task, at) => [task, at]));
  const rank = ({ task }: Loop): number => {
    const known = findTask(state, task);
    return (known === null ? undefined : order.get(known)) ?? Number.POSITIVE_INFINITY;
  };
  const [first] = openLoops(state)
    .filter((loop) => loop.task.startsWith(`${tracker}#`) && mayGoOn(state, policy, loop))
    .map((loop) => ({ loop, isFree: Number(loop.host === null), rank: rank(loop) }))
    .sort((a, b) => a.isFree - b.isFree || (a.rank === b.rank ? byClaim(a.loop, b.loop) : a.rank - b.rank));
  return first?.loop ?? null;
}

const byClaim = (a: Loop, b: Loop): number => a.claimedAt - b.claimedAt || (a.id < b.id ? -1 : 1);

/** A host under the same gates works on it, or could. What a person stops is at work until its iteration ends. */
function mayGoOn(state: State, { gatesHash }: Judging, loop: Loop): boolean {
  if (!isWorking(loop) || (loop.stopping && loop.host === null)) return false;
  const hosts = Object.values(state.hosts).filter((host) => host.state === 'up' && host.policy.gatesHash === gatesHash);
  return loop.host === null
    ? hosts.some((host) => host.policy.slots > 0 && canAdopt(state, host, loop))
    : hosts.some((host) => host.id === loop.host);
}

const mendingOf = (state: State, { gatesHash, tracker }: Judging): Mending =>
  state.bases[gatesHash]?.mending[tracker] ?? UNTRIED;

/** Nobody goes on: what was done waits to land, or claims were red often enough. */
function isTried(state: State, policy: Judging): boolean {
  const { claims, done } = mendingOf(state, policy);
  const phase = done === null ? undefined : state.loops[done]?.phase;
  const isDone =
    phase?.at === 'ready' || (phase?.at === 'parked' && (phase.reason === 'protected' || phase.reason === 'too-large'));
  return claims >= CLAIMS_MAX || isDone;
}

/** It failed in an earlier run, or another main did a moment ago: whoever is first may begin before the gates have answered. */
export function mayBeginOne(state: State, policy: Judging): boolean {
  return state.bases[policy.gatesHash]?.runs === 0 && !isTried(state, policy) && loneLoop(state, policy) === null;
}

/** It began from a main that was red, and main is green now: what it needs has to come in before its gates can tell anything. */
export function lacksGreenBase(state: State, { gatesHash, base }: Judging, loop: Loop): boolean {
  const known = state.bases[gatesHash];
  if (base === 'off' || known == null || known.red !== null || loop.baseTree === null) return false;
  if (loop.base === known.commit || loop.base === state.integration) return false;
  const isGreen = verdictOf(state, gatesHash, known.tree) === 'green';
  return isGreen && verdictOf(state, gatesHash, loop.baseTree) === 'red';
}

/** What the gates said of a loop that goes on while main itself fails. */
export function noteClaim(state: State, policy: Judging, loop: Loop, { report }: Of<'gates-ended'>): State {
  const base = state.bases[policy.gatesHash];
  // Who resolves a conflict is judged by that first.
  const isResolving = loop.rework !== null && loop.rework.paths.length > 0;
  if (base === undefined || holdingBase(state, policy) === null || isResolving) return state;
  const before = mendingOf(state, policy);
  if (report.verdict === 'green') return withMending(state, policy, { ...before, done: loop.id });
  if (isHeldBack(state, policy, loop)) return state;
  return withMending(state, policy, { ...before, claims: before.claims + 1 });
}

function withMending(state: State, { gatesHash, tracker }: Judging, one: Mending): State {
  const base = state.bases[gatesHash];
  return base === undefined
    ? state
    : withBase(state, gatesHash, { ...base, mending: { ...base.mending, [tracker]: one } });
}

function withBase(state: State, gatesHash: string, base: Base): State {
  const { [gatesHash]: _before, ...others } = state.bases;
  const kept = Object.entries(others).slice(1 - BASES_MAX);
  return { ...state, bases: { ...Object.fromEntries(kept), [gatesHash]: base } };
}

/** A person starts once more: what failed may be mended where no tree shows it, so it is tested and tried again. */
export function askAgain(state: State, { gatesHash }: HostPolicy): State {
  const base = state.bases[gatesHash];
  return base == null || base.red === null ? state : withBase(state, gatesHash, { ...base, runs: 0, mending: {} });
}

/** What a host tells that is not asked any more may be long ago. */
export function baseFound(state: State, { gatesHash, commit, tree, seen }: Of<'base-found'>, { by }: Stamp): State {
  if (testerOf(state, gatesHash) !== by) return state;
  const before = state.bases[gatesHash];
  const runs = before?.tree === tree ? before.runs : 0;
  const found = { commit, tree, seen, red: before?.red ?? null, runs, mending: before?.mending ?? {} };
  return withBase(state, gatesHash, settled(state, gatesHash, found));
}

/** Integration moved to a candidate, whose tree the gates of whoever landed it have passed. */
export function baseMoved(state: State, commit: Sha, tree: Sha): State {
  let next = state;
  for (const [gatesHash, base] of Object.entries(state.bases))
    next = withBase(next, gatesHash, settled(next, gatesHash, { ...base, commit, tree, runs: 0 }));
  return next;
}

const settled = (state: State, gatesHash: string, base: Base): Base =>
  verdictOf(state, gatesHash, base.tree) === 'green' ? { ...base, red: null, mending: {} } : base;

/** The gates ran on main itself. A late answer about another tree is a verdict like any other. */
export function baseTested(state: State, event: Of<'base-tested'>): State {
  const { gatesHash, tree, report, likely } = event;
  const base = state.bases[gatesHash];
  if (report.verdict === 'green') {
    const kind = base?.tree === tree && base.runs > 0 ? 'flaky' : 'firm';
    return withOdds(recordVerdict(state, gatesHash, tree, 'green'), (odds) => sawVerdict(odds, kind));
  }
  if (base?.tree !== tree || base.runs !== event.again || verdictOf(state, gatesHash, tree) === 'green') return state;
  const red: Base = { ...base, runs: base.runs + 1, red: { report, likely } };
  const known = withBase(recordVerdict(state, gatesHash, tree, 'red'), gatesHash, red);
  return base.red === null ? withFirstClaims(known, gatesHash, tree) : known;
}

/** Whoever goes on may have been told that the work is red before anybody knew why. */
function withFirstClaims(state: State, gatesHash: string, tree: Sha): State {
  let next = withBase(state, gatesHash, { ...(state.bases[gatesHash] as Base), mending: {} });
  for (const { policy } of Object.values(state.hosts)) {
    const lone = policy.gatesHash === gatesHash && policy.base === 'hold' ? loneLoop(next, policy) : null;
    if (lone?.lastGate?.verdict === 'red' && lone.baseTree === tree)
      next = withMending(next, policy, { claims: 1, done: null });
  }
  return next;
}

/** It cannot be tested: nothing is known of it, and nobody asks again. */
export function baseUntested(state: State, by: string): State {
  const host = Object.values(state.hosts).find(({ id }) => id === by);
  const base = host === undefined ? undefined : state.bases[host.policy.gatesHash];
  if (host === undefined || base === undefined) return state;
  return withBase(state, host.policy.gatesHash, { ...base, runs: base.runs + 1 });
}

/** The one host that tests main for all that have the same gates. */
export function testerOf(state: State, gatesHash: string): HostId | null {
  const able = Object.values(state.hosts).filter(
    ({ state: is, policy }) => is === 'up' && policy.slots > 0 && policy.hasGates && policy.base !== 'off',
  );
  const same = able.filter(({ policy }) => policy.gatesHash === gatesHash);
  same.sort((a, b) => a.joinedAt - b.joinedAt || (a.id < b.id ? -1 : 1));
  return same[0]?.id ?? null;
}

/** What has to be done to know how main is: look where it stands, run the gates on it, or nothing. */
export function nextOfBase(state: State, policy: HostPolicy, isIdle: boolean): 'find' | 'test' | null {
  const base = state.bases[policy.gatesHash];
  if (base === undefined) return 'find';
  const { integration, targetHead } = state;
  const isMoved = integration !== null && integration !== base.commit && integration !== base.seen.integration;
  const isOvertaken = targetHead !== null && targetHead !== base.commit && targetHead !== base.seen.target;
  if (isMoved || isOvertaken) return 'find';
  if (verdictOf(state, policy.gatesHash, base.tree) === 'green') return null;
  if (base.runs === 0) return 'test';
  // One red run may be a lie: no run ends upon that alone.
  const isUnproved = base.red !== null && base.runs === 1 && policy.train.flakeRetries !== 0;
  return isIdle && isUnproved && mendingOf(state, policy).claims < CLAIMS_MAX ? 'test' : null;
}

/** Loops that wait for main to be green. */
export const heldLoops = (state: State, { tracker }: Pick<HostPolicy, 'tracker'>): readonly LoopId[] =>
  openLoops(state)
    .filter((loop) => loop.waitsFor === 'base' && isWorking(loop) && loop.task.startsWith(`${tracker}#`))
    .map((loop) => loop.id);
