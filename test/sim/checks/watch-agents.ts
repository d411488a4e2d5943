import type { Event, Stamp } from '../../../src/core/model/events.ts';
import type { LoopId } from '../../../src/core/model/ids.ts';
import type { Host, Loop, State } from '../../../src/core/model/model.ts';
import { isWorking, loopsOf } from '../../../src/core/model/model.ts';
import type { Realm, SimHost } from '../model/realm.ts';
import { agentsOf, fail } from '../model/realm.ts';
import type { Page } from './books.ts';
import { FIRST_PAGE, isOver, isTaken, turnPage } from './books.ts';
import { isListed, startableTasks } from './startable.ts';
import type { EventWatch } from './watch-records.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** A clock may be set back between the look at an account and the record about it. */
const CLOCK_JUMP_MS = 6000;

/** Checks what agents cost, are told and are allowed, against books of its own. */
export function watchAgents(realm: Realm): EventWatch {
  const pages: Page[] = [FIRST_PAGE];
  const blocked = new Map<LoopId, { readonly n: number; readonly why: string }>();
  const asked = new Set<LoopId>();
  let page = FIRST_PAGE;
  realm.onStart = (host, { loop, n }, order) => {
    const known = pages[host.seq] ?? page;
    const account = agentsOf(host.policy).find(({ name }) => name === order.agent)?.account ?? '';
    if (known.held.has(account)) fail(realm, 'held-agents-rest', `${order.agent} began ${loop}/${n}`);
    checkAlone(realm, host, loop, n);
    if (isOver(known.run, host.policy.budget)) fail(realm, 'budgets-hold', `${loop}/${n} began with nothing left`);
  };
  return (before, event, after, stamp) => {
    const was = page;
    page = turnPage(page, before, event, after);
    pages[stamp.seq] = page;
    checkSums(realm, page, after);
    if (event.type === 'account-resumed') checkResumed(realm, was, before, event, after, stamp);
    if (event.type === 'host-left') checkLeft(realm, was, before, event);
    if (event.type === 'task-claimed' || event.type === 'loop-adopted') checkTaken(realm, was, before, after, event);
    if (event.type === 'landing-requested') for (const { loop } of event.items) asked.add(loop);
    if (event.type === 'loop-blocked' && isAt(before.loops[event.loop], event.n)) blocked.set(event.loop, event);
    if (event.type === 'iteration-ended' && isTaken(before, event)) {
      checkEnded(realm, before, event, after);
      const said = blocked.get(event.loop);
      checkBlocked(realm, event, after.loops[event.loop], said?.n === event.n ? said.why : null);
    }
    if (before.loops === after.loops) return;
    for (const loop of loopsOf(after)) {
      if (before.loops[loop.id] === loop) continue;
      checkGuidance(realm, before.loops[loop.id], loop, event);
      checkUncounted(realm, before.loops[loop.id], loop, event);
      const isSpent = isOver(page.loops.get(loop.id) ?? { costUsd: 0, tokens: 0 }, realm.scenario.policy.limits);
      if (isSpent && loop.phase.at === 'iterating') fail(realm, 'loop-budgets-hold', `${loop.id} iterates after all`);
      if (loop.phase.at === 'landed' && !asked.has(loop.id)) checkProtected(realm, loop);
    }
  };
}

/** Begun under a main that fails, by the loop and the number of its iteration. */
const underRed = new WeakMap<Realm, Set<string>>();

/** While main itself fails, one loop goes on, as far as the host that begins an iteration can know. */
function checkAlone(realm: Realm, host: SimHost, id: LoopId, n: number): void {
  const state = realm.states[host.seq];
  const { policy } = host;
  if (state === undefined || policy.base !== 'hold' || state.bases[policy.gatesHash]?.red == null) return;
  const begun = underRed.get(realm) ?? new Set();
  underRed.set(realm, begun.add(`${id}/${n}`));
  for (const other of loopsOf(state)) {
    const holder = other.host === null ? undefined : state.hosts[other.host];
    if (other.id === id || other.phase.at !== 'iterating' || holder?.state !== 'up') continue;
    if (holder.policy.base === 'hold' && begun.has(`${other.id}/${other.phase.n}`))
      fail(realm, 'one-goes-on', `${id}/${n} began beside ${other.id}/${other.phase.n} on a red main`);
  }
}

/** What waits for main has lost no iteration by it. */
function checkUncounted(realm: Realm, before: Loop | undefined, after: Loop, event: Event): void {
  if (before === undefined || before.waitsFor === 'base' || after.waitsFor !== 'base') return;
  const isJudged = event.type === 'gates-ended';
  if (after.counted > Math.max(0, before.counted - (isJudged ? 1 : 0)))
    fail(realm, 'waiting-counts-for-nothing', `${after.id} has ${after.counted} of ${before.counted} iterations`);
}

const isAt = (loop: Loop | undefined, n: number): boolean => loop?.phase.at === 'iterating' && loop.phase.n === n;

function checkSums(realm: Realm, { run }: Page, state: State): void {
  const { usage } = state.run;
  if ((usage.costUsd ?? 0) !== run.costUsd || usage.inputTokens + usage.outputTokens !== run.tokens)
    fail(realm, 'sums-are-right', `the run has cost ${run.costUsd}, and ${usage.costUsd} is written`);
}

function checkResumed(
  realm: Realm,
  was: Page,
  before: State,
  { account }: Of<'account-resumed'>,
  after: State,
  at: Stamp,
): void {
  const kind = was.held.get(account);
  const untilMs = before.accounts[account]?.hold?.untilMs ?? 0;
  // Said of what came before the hold that was met in the same record.
  if (after.accounts[account]?.hold != null) return;
  if (kind === 'auth' || (kind !== undefined && at.at + CLOCK_JUMP_MS < untilMs))
    fail(realm, 'holds-last', `${account} was resumed at ${at.at} and is held (${kind}) until ${untilMs}`);
}

/** Nobody who may work on it is logged in. */
function isShut({ held }: Page, { policy }: Host, loop?: Loop): boolean {
  const { agents, resolver } = policy;
  const able = loop?.rework?.by === 'resolver' && resolver !== null ? [resolver] : agents;
  return able.every(({ account }) => held.get(account) === 'auth');
}

/** A hold that ends by itself is waited for. Only in calm: a person may say something as a host leaves. */
function checkLeft(realm: Realm, was: Page, before: State, event: Of<'host-left'>): void {
  const host = before.hosts[event.host];
  if (!realm.isCalm || host === undefined || host.state !== 'up' || host.policy.slots === 0) return;
  if (isShut(was, host) || isOver(was.run, host.policy.budget)) return;
  // What integration is could not be settled: a person is told, and the next host tries again.
  if (before.suspect?.isStuck === true) return;
  // What waits behind a suspended host's loops is not waited for.
  if (Object.values(before.hosts).some((other) => other.state === 'stopped')) return;
  if (host.policy.base === 'hold' && before.bases[host.policy.gatesHash]?.red != null) return;
  const [task] = startableTasks(before, host.policy);
  const [loop] = loopsOf(before).filter(
    (one) => one.host === null && isWorking(one) && !isShut(was, host, one) && isListed(before, one),
  );
  if (task !== undefined || loop !== undefined)
    fail(realm, 'holds-are-waited-for', `${host.id} left ${task?.id ?? loop?.id} behind`);
}

function checkTaken(
  realm: Realm,
  was: Page,
  before: State,
  after: State,
  event: Of<'task-claimed' | 'loop-adopted'>,
): void {
  const host = before.hosts[event.host];
  const [loop, then] = [after.loops[event.loop], before.loops[event.loop]];
  if (host === undefined || loop === undefined || loop === then) return;
  const must = then?.waitsFor ?? null;
  if ((must === 'auth' && isShut(was, host, loop)) || (must === 'budget' && isOver(was.run, host.policy.budget)))
    fail(realm, 'released-loops-rest', `${loop.id} was adopted and still waits for ${must}`);
  const free = host.policy.agents.find(({ account }) => !was.held.has(account));
  const isWarned = free !== undefined && before.accounts[free.account]?.warnedUntilMs != null;
  const held = loopsOf(after).filter((one) => one.host === host.id).length;
  if (isWarned && held > Math.ceil(host.policy.slots / 2))
    fail(realm, 'warnings-are-heard', `${host.id} took its ${held}th loop of ${host.policy.slots}`);
}

const NO_WORK: ReadonlySet<string> = new Set(['limited', 'throttled', 'refused', 'interrupted']);
const isForNothing = ({ outcome }: Of<'iteration-ended'>): boolean => NO_WORK.has(outcome);

/** So many holds in a row count as a failure. */
const STRIKES = 8;

function checkEnded(realm: Realm, before: State, event: Of<'iteration-ended'>, after: State): void {
  const [was, is] = [before.loops[event.loop], after.loops[event.loop]];
  if (was === undefined || is === undefined || !isForNothing(event)) return;
  if (event.outcome === 'throttled' && (after.accounts[event.account]?.strikes ?? 0) >= STRIKES) return;
  if (
    is.counted !== was.counted ||
    is.failureStreak !== was.failureStreak ||
    is.idleStreak > was.idleStreak ||
    before.attempts !== after.attempts
  )
    fail(realm, 'no-work-counts-for-nothing', `${event.loop}/${event.n} was ${event.outcome}`);
}

/** Who says that it needs a person gets one, and nobody else does. */
function checkBlocked(realm: Realm, event: Of<'iteration-ended'>, loop: Loop | undefined, why: string | null): void {
  if (loop === undefined) return;
  const { phase } = loop;
  const isParked = phase.at === 'parked' && phase.reason === 'blocked';
  if (isParked && why === null) fail(realm, 'blocked-by-word', `${loop.id}/${event.n} never said that it is blocked`);
  if (isParked && why !== null && phase.detail !== why)
    fail(realm, 'blocked-by-word', `${loop.id} said ${why}, and ${phase.detail} is told`);
  const mayGoOn =
    phase.at === 'gating' || event.outcome === 'claimed' || event.outcome === 'timed-out' || event.breach !== null;
  if (!isParked && !mayGoOn && why !== null && loop.doneSaid !== event.n)
    fail(realm, 'blocked-by-word', `${loop.id}/${event.n} said ${why} and is ${phase.at}`);
}

/** What a person said is only forgotten when an agent that could work was told. */
function checkGuidance(realm: Realm, was: Loop | undefined, is: Loop, event: Event): void {
  if (was === undefined || was.guidance === is.guidance) return;
  const left = new Set(is.guidance.map(({ id }) => id));
  for (const { id, text } of was.guidance) {
    if (left.has(id)) continue;
    const isTold =
      event.type === 'iteration-ended' &&
      !isForNothing(event) &&
      realm.told.get(text)?.has(`${event.loop}/${event.n}`) === true;
    if (!isTold) fail(realm, 'guidance-arrives', `${is.id} was never told ${text}`);
  }
}

function checkProtected(realm: Realm, loop: Loop): void {
  if (loop.base === null || loop.head === null) return;
  const touched = realm.git.changed(loop.base, loop.head).filter((path) => realm.scenario.protect.includes(path));
  if (touched.length > 0) fail(realm, 'protected-waits', `${loop.id} landed ${touched.join(' ')} by itself`);
}
