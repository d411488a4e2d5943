import type { Event } from '../../src/core/model/events.ts';
import type { Loop, State } from '../../src/core/model/model.ts';
import { NO_USAGE } from '../../src/core/model/usage.ts';
import { REAL_BRAIN } from '../../src/engine/brain.ts';
import type { Brain } from '../../src/engine/brain.ts';
import type { Mutant } from './mutants.ts';

const { fold, schedule, reconcile } = REAL_BRAIN;

/** A fold that hears something else than what was said. */
const mishears = (change: (event: Event) => Event): Brain => ({
  ...REAL_BRAIN,
  fold: (state, record) => fold(state, { ...record, events: record.events.map(change) }),
});

/** A fold that makes something else of what it heard. */
const misremembers = (change: (next: State, before: State) => State): Brain => ({
  ...REAL_BRAIN,
  fold: (state, record) => change(fold(state, record), state),
});

const withLoops = (state: State, change: (loop: Loop) => Loop): State => ({
  ...state,
  loops: Object.fromEntries(Object.entries(state.loops).map(([id, loop]) => [id, change(loop)])),
});

const withoutWarnings = (state: State): State => ({
  ...state,
  accounts: Object.fromEntries(
    Object.entries(state.accounts).map(([name, account]) => [name, { ...account, warnedUntilMs: null }]),
  ),
});

/** Bugs about what agents cost, are allowed and are told. */
export const AGENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'the fold forgets holds',
    caughtBy: ['held-agents-rest'],
    brain: misremembers((next) => ({ ...next, accounts: {} })),
  },
  {
    name: 'a hold ends before its time',
    caughtBy: ['holds-last'],
    brain: {
      ...REAL_BRAIN,
      reconcile: (state, observed, me) => [
        ...reconcile(state, observed, me),
        ...Object.entries(state.accounts).flatMap(([account, { hold }]): readonly Event[] =>
          hold === null ? [] : [{ type: 'account-resumed', account, untilMs: hold.untilMs ?? 0 }],
        ),
      ],
    },
  },
  {
    name: 'nobody notices that a hold is over',
    caughtBy: ['hosts-come-to-an-end'],
    brain: {
      ...REAL_BRAIN,
      reconcile: (state, observed, me) => reconcile(state, { ...observed, nowMs: 0 }, me),
    },
  },
  {
    name: 'a usage limit waits for a person',
    caughtBy: ['holds-are-waited-for'],
    brain: misremembers((next) => ({
      ...next,
      accounts: Object.fromEntries(
        Object.entries(next.accounts).map(([name, account]) => [
          name,
          { ...account, hold: account.hold === null ? null : { ...account.hold, untilMs: null } },
        ]),
      ),
    })),
  },
  {
    name: 'an agent that was not allowed to work has failed',
    caughtBy: ['no-work-counts-for-nothing'],
    brain: misremembers((next, before) =>
      withLoops(next, (loop) => {
        const was = before.loops[loop.id];
        const isFor = loop.lastFailure?.kind === 'limit' && was !== undefined && was.iteration < loop.iteration;
        return isFor ? { ...loop, failureStreak: loop.failureStreak + 1 } : loop;
      }),
    ),
  },
  {
    name: 'nothing costs anything',
    caughtBy: ['budgets-hold', 'sums-are-right'],
    brain: mishears((event) => (event.type === 'iteration-ended' ? { ...event, usage: NO_USAGE } : event)),
  },
  {
    name: 'a spent budget stops nobody',
    caughtBy: ['budgets-hold'],
    brain: misremembers((next) => ({ ...next, run: { ...next.run, overspent: null } })),
  },
  {
    name: 'a crash forgets what was spent',
    caughtBy: ['sums-are-right'],
    brain: misremembers((next, before) =>
      Object.keys(next.hosts).length > Object.keys(before.hosts).length
        ? { ...next, run: { ...next.run, usage: NO_USAGE, overspent: null } }
        : next,
    ),
  },
  {
    name: 'loops have no budget',
    caughtBy: ['loop-budgets-hold'],
    brain: mishears((event) => {
      if (event.type !== 'host-joined') return event;
      const limits = { ...event.policy.limits, maxCostUsd: null, maxTokens: null };
      return { ...event, policy: { ...event.policy, limits } };
    }),
  },
  {
    name: 'an iteration has heard whatever was said',
    caughtBy: ['guidance-arrives'],
    brain: mishears((event) =>
      event.type === 'iteration-ended' ? { ...event, guided: Number.MAX_SAFE_INTEGER } : event,
    ),
  },
  {
    name: 'protected paths are like any other',
    caughtBy: ['protected-waits'],
    brain: mishears((event) => (event.type === 'gates-ended' ? { ...event, protected: [] } : event)),
  },
  {
    name: 'nobody hears that a loop is blocked',
    caughtBy: ['blocked-by-word'],
    brain: mishears((event) => (event.type === 'loop-blocked' ? { ...event, n: -1 } : event)),
  },
  {
    name: 'a blocked word is never forgotten',
    caughtBy: ['blocked-by-word'],
    brain: misremembers((next, before) =>
      withLoops(next, (loop) => ({
        ...loop,
        blockedWhy: loop.blockedWhy ?? before.loops[loop.id]?.blockedWhy ?? null,
      })),
    ),
  },
  {
    name: 'released loops are adopted at once',
    caughtBy: ['released-loops-rest'],
    brain: {
      ...REAL_BRAIN,
      schedule: (state, me) =>
        schedule(
          withLoops(state, (loop) => ({ ...loop, waitsFor: null })),
          me,
        ),
    },
  },
  {
    name: 'released loops are never adopted again',
    caughtBy: ['all-is-explained', 'hosts-come-to-an-end'],
    brain: {
      ...REAL_BRAIN,
      schedule: (state, me) => {
        const plan = schedule(state, me);
        return { ...plan, adopts: plan.adopts.filter(({ loop }) => state.loops[loop]?.waitsFor === null) };
      },
    },
  },
  {
    name: 'warnings are not heard',
    caughtBy: ['warnings-are-heard'],
    brain: { ...REAL_BRAIN, schedule: (state, me) => schedule(withoutWarnings(state), me) },
  },
];
