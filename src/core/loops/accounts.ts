import type { Event, Stamp } from '../model/events.ts';
import { findTask } from '../model/tasks.ts';
import type { Account, Hold, HostPolicy, Loop, PolicyAgent, State } from '../model/model.ts';

type Ended = Extract<Event, { type: 'iteration-ended' }>;
type Resumed = Extract<Event, { type: 'account-resumed' }>;

const RATE_FIRST_MS = 15_000;
const RATE_MAX_MS = 10 * 60_000;
const RATE_TOLD_MAX_MS = 60 * 60_000;
const LIMIT_UNKNOWN_MS = 15 * 60_000;
const LIMIT_MIN_MS = 1000;
const LIMIT_MAX_MS = 8 * 24 * 60 * 60_000;
/** So many holds in a row, and a crowded service counts as a broken one. */
export const STRIKES_MAX = 8;

const FREE: Account = { hold: null, warnedUntilMs: null, strikes: 0 };

/** An account may be called `constructor` as well: only what the log told of is one. */
export const accountOf = (state: Pick<State, 'accounts'>, name: string): Account | undefined =>
  Object.hasOwn(state.accounts, name) ? state.accounts[name] : undefined;

/** Who works next under a policy. shut: every agent waits for a person. */
export type Choice =
  | { readonly kind: 'go'; readonly agent: PolicyAgent }
  | { readonly kind: 'wait'; readonly account: string; readonly hold: Hold; readonly untilMs: number }
  | { readonly kind: 'shut'; readonly account: string; readonly hold: Hold };

/** Who may work on a loop: conflicts may have an agent of their own, and so may a task. */
export function agentsFor(
  state: State,
  { agents, named = [], resolver }: Pick<HostPolicy, 'agents' | 'named' | 'resolver'>,
  loop: Pick<Loop, 'rework' | 'task'>,
): Pick<HostPolicy, 'agents'> {
  if (loop.rework?.by === 'resolver' && resolver !== null) return { agents: [resolver] };
  const wanted = findTask(state, loop.task)?.agent;
  const own = wanted === undefined ? undefined : [...agents, ...named].find(({ name }) => name === wanted);
  return { agents: own === undefined ? agents : [own] };
}

/** The first agent whose account is free, or what to wait for. */
export function chooseAgent(state: State, { agents }: Pick<HostPolicy, 'agents'>): Choice {
  const held = agents.map((agent) => ({ agent, hold: accountOf(state, agent.account)?.hold ?? null }));
  const free = held.find(({ hold }) => hold === null);
  if (free !== undefined) return { kind: 'go', agent: free.agent };
  const waits = held
    .flatMap(({ agent, hold }) =>
      hold === null || hold.untilMs === null ? [] : [{ account: agent.account, hold, untilMs: hold.untilMs }],
    )
    .sort((a, b) => a.untilMs - b.untilMs);
  const [first] = waits;
  if (first !== undefined) return { kind: 'wait', ...first };
  const [shut] = held;
  // A host that only lands has no agents and never asks; whoever asks has at least one.
  return shut === undefined || shut.hold === null
    ? { kind: 'go', agent: { name: '', account: '' } }
    : { kind: 'shut', account: shut.agent.account, hold: shut.hold };
}

/** What an iteration showed about the account behind its agent. */
export function noteAccount(state: State, event: Ended, stamp: Stamp): State {
  const before = accountOf(state, event.account) ?? FREE;
  const after = accountAfter(before, event, stamp);
  return after === before ? state : { ...state, accounts: { ...state.accounts, [event.account]: after } };
}

function accountAfter(before: Account, { hold, outcome }: Ended, stamp: Stamp): Account {
  const calm = outcome === 'claimed' || outcome === 'worked' ? { ...before, strikes: 0 } : before;
  if (hold === null) return calm.strikes === before.strikes ? before : calm;
  if (hold.kind === 'warning') return { ...calm, warnedUntilMs: hold.untilMs ?? stamp.at + LIMIT_UNKNOWN_MS };
  // Nobody starts under a hold, so who meets one then was under way before it: many loops at once are one strike.
  const strikes = before.strikes + (before.hold === null ? 1 : 0);
  const untilMs = holdUntil(hold.kind, hold.untilMs, strikes, stamp);
  return {
    ...before,
    strikes,
    hold: longer(before.hold, { kind: hold.kind, untilMs, detail: hold.detail, since: stamp.at }),
  };
}

/** Too many requests do not end a usage limit early, and neither of them logs anybody in. */
const longer = (before: Hold | null, now: Hold): Hold =>
  before === null || (before.untilMs !== null && (now.untilMs === null || now.untilMs >= before.untilMs))
    ? now
    : before;

function holdUntil(kind: Hold['kind'], toldMs: number | null, strikes: number, stamp: Stamp): number | null {
  switch (kind) {
    case 'auth':
    case 'missing':
      return null;
    case 'limit':
      return toldMs === null
        ? stamp.at + LIMIT_UNKNOWN_MS
        : Math.min(Math.max(toldMs, stamp.at + LIMIT_MIN_MS), stamp.at + LIMIT_MAX_MS);
    case 'rate': {
      const backOffMs = Math.min(RATE_MAX_MS, RATE_FIRST_MS * 2 ** (strikes - 1)) * jitter(stamp.seq);
      const toldAtMost = Math.min(toldMs ?? 0, stamp.at + RATE_TOLD_MAX_MS);
      return Math.round(Math.max(toldAtMost, stamp.at + backOffMs));
    }
  }
}

/** Between a half and one, from the place in the log: everyone who folds it gets the same. */
const jitter = (seq: number): number => 0.5 + ((seq * 2_654_435_761) % 1000) / 2000;

/** What lasted until then is over; a hold met in the same breath is not. Strikes stay until something was done. */
export function resumeAccount(state: State, { account: name, untilMs }: Resumed): State {
  const account = accountOf(state, name);
  if (account == null) return state;
  const hold = isOver(account.hold?.untilMs ?? null, untilMs) ? null : account.hold;
  const warnedUntilMs = isOver(account.warnedUntilMs, untilMs) ? null : account.warnedUntilMs;
  return { ...state, accounts: { ...state.accounts, [name]: { ...account, hold, warnedUntilMs } } };
}

const isOver = (untilMs: number | null, nowMs: number): boolean => untilMs !== null && untilMs <= nowMs;

/** Nothing but a person ends it. */
export const isForPerson = (hold: Hold | null): boolean => hold?.kind === 'auth' || hold?.kind === 'missing';

/** A person who starts a new host may have logged in, or installed what was missing. */
export function retryLogins(state: State): State {
  const accounts = Object.entries(state.accounts).map(([name, account]): [string, Account] => [
    name,
    isForPerson(account.hold) ? { ...account, hold: null } : account,
  ]);
  return { ...state, accounts: Object.fromEntries(accounts) };
}

/** Accounts whose hold is over by now or, where there is none any more, their warning. */
export function accountsToResume(state: State, nowMs: number): readonly Resumed[] {
  return Object.entries(state.accounts).flatMap(([account, { hold, warnedUntilMs }]): Resumed[] => {
    if (hold !== null && !isOver(hold.untilMs, nowMs)) return [];
    const over = [hold?.untilMs ?? null, warnedUntilMs].filter((untilMs) => isOver(untilMs, nowMs));
    return over.length === 0 ? [] : [{ type: 'account-resumed', account, untilMs: Math.max(...over.map(Number)) }];
  });
}

/** Half the slots while the limit of the agent that would work next is near. */
export function roomFor(state: State, policy: HostPolicy): number {
  const choice = chooseAgent(state, policy);
  const account = choice.kind === 'go' ? accountOf(state, choice.agent.account) : undefined;
  return account == null || account.warnedUntilMs === null ? policy.slots : Math.ceil(policy.slots / 2);
}
