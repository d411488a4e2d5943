import type { Event } from '../../src/core/model/events.ts';
import type { LoopId } from '../../src/core/model/ids.ts';
import type { Loop, State } from '../../src/core/model/model.ts';
import { loopsOf } from '../../src/core/model/model.ts';
import { REAL_BRAIN } from '../../src/engine/brain.ts';
import type { Brain } from '../../src/engine/brain.ts';
import type { Mutant } from './mutants.ts';

const { fold, schedule } = REAL_BRAIN;

/** The fold, with every loop that has just begun to wait changed. */
const foldWaiting =
  (change: (loop: Loop, before: Loop | undefined, state: State) => Loop): Brain['fold'] =>
  (state, record) => {
    const next = fold(state, record);
    const changed = loopsOf(next).filter(
      (loop) => loop.phase.at === 'waiting' && state.loops[loop.id]?.phase.at !== 'waiting',
    );
    if (changed.length === 0) return next;
    const loops = { ...next.loops };
    for (const loop of changed) loops[loop.id] = change(loop, state.loops[loop.id], state);
    return { ...next, loops };
  };

const withLoops = (state: State, change: (loop: Loop) => Loop): State => ({
  ...state,
  loops: Object.fromEntries(Object.entries(state.loops).map(([id, loop]) => [id, change(loop)])),
});

const waiting = (state: State): readonly Loop[] =>
  loopsOf(state).filter(({ phase, worktreeState }) => phase.at === 'waiting' && worktreeState !== 'made');

const freeSlot = (state: State, me: string): number => {
  const taken = new Set(loopsOf(state).flatMap((loop) => (loop.host === me ? [loop.slot] : [])));
  let slot = 1;
  while (taken.has(slot)) slot += 1;
  return slot;
};

/** Bugs of waiting: each must be seen by an invariant. */
export const WAITING_MUTANTS: readonly Mutant[] = [
  {
    name: 'who waits is given up at once',
    caughtBy: ['no-chance-is-left'],
    brain: {
      ...REAL_BRAIN,
      schedule: (state, me, now) => ({ ...schedule(state, me, now), over: waiting(state).map(({ id }) => id) }),
    },
  },
  {
    name: 'who waits is never asked again',
    caughtBy: ['no-chance-is-left', 'hosts-come-to-an-end', 'tasks-begin-in-order'],
    brain: {
      ...REAL_BRAIN,
      schedule: (state, me, now) => {
        const plan = schedule(state, me, now);
        const waits = new Set<LoopId>(waiting(state).map(({ id }) => id));
        return { ...plan, adopts: plan.adopts.filter(({ loop }) => !waits.has(loop)) };
      },
    },
  },
  {
    name: 'who waits is asked again at once',
    caughtBy: ['earlier-ones-settle-first', 'slots', 'hosts-come-to-an-end'],
    brain: {
      ...REAL_BRAIN,
      schedule: (state, me, now) => {
        const plan = schedule(state, me, now);
        const [first] = waiting(state);
        const host = state.hosts[me];
        if (first === undefined || host?.state !== 'up' || plan.adopts.length + plan.starts.length > 0) return plan;
        const slot = freeSlot(state, me);
        return slot > host.policy.slots ? plan : { ...plan, adopts: [{ loop: first.id, slot }] };
      },
    },
  },
  {
    name: 'to wait counts as an iteration',
    caughtBy: ['waiting-costs-nothing'],
    brain: { ...REAL_BRAIN, fold: foldWaiting((loop) => ({ ...loop, counted: loop.counted + 1 })) },
  },
  {
    name: 'to wait counts as a lack of progress',
    caughtBy: ['waiting-costs-nothing'],
    brain: { ...REAL_BRAIN, fold: foldWaiting((loop) => ({ ...loop, idleStreak: loop.idleStreak + 1 })) },
  },
  {
    name: 'who waits keeps its slot',
    caughtBy: ['waiting-costs-nothing', 'held-means-working', 'held-by-a-host'],
    brain: { ...REAL_BRAIN, fold: foldWaiting((loop, before) => ({ ...loop, host: before?.host ?? null })) },
  },
  {
    name: 'calls without a change are not counted',
    caughtBy: ['calls-within-caps', 'hosts-come-to-an-end'],
    brain: {
      ...REAL_BRAIN,
      fold: foldWaiting((loop) => ({ ...loop, idleCalls: 0, tried: { commit: null, landings: 0 } })),
    },
  },
  {
    name: 'a new try begins where the last one did',
    caughtBy: ['tries-begin-from-the-newest', 'hosts-come-to-an-end'],
    brain: {
      ...REAL_BRAIN,
      // It takes every base for the newest.
      fold: (state, record) => {
        const next = fold({ ...state, stands: [] }, record);
        const again = record.events.flatMap((event: Event) => (event.type === 'worktree-made' ? [event.loop] : []));
        return withLoops(next, (loop) => {
          const was = state.loops[loop.id];
          const isStale = again.includes(loop.id) && was?.tried !== undefined && was.iteration > 0;
          return isStale ? { ...loop, base: was.tried?.commit ?? loop.base } : loop;
        });
      },
    },
  },
  {
    name: 'what strayed gets one more loop',
    caughtBy: ['once-more-for-what-did-not-fit'],
    brain: {
      ...REAL_BRAIN,
      schedule: (state, me, now) =>
        schedule(
          withLoops(state, (loop) =>
            loop.phase.at === 'parked' && ['tampered', 'blocked', 'failures'].includes(loop.phase.reason)
              ? { ...loop, phase: { ...loop.phase, reason: 'red' }, tried: { commit: null, landings: 0 } }
              : loop,
          ),
          me,
          now,
        ),
    },
  },
  {
    name: 'what did not fit gets loops without end',
    caughtBy: ['once-more-for-what-did-not-fit', 'hosts-come-to-an-end'],
    brain: {
      ...REAL_BRAIN,
      schedule: (state, me, now) =>
        schedule(
          withLoops(state, ({ isAgain: _again, ...loop }) => ({
            ...loop,
            ...(loop.tried === undefined ? {} : { tried: { commit: null, landings: 0 } }),
          })),
          me,
          now,
        ),
    },
  },
  {
    name: 'tasks begin before those that have what they waited for',
    caughtBy: ['tasks-begin-in-order'],
    brain: {
      ...REAL_BRAIN,
      schedule: (state, me, now) => {
        const plan = schedule(state, me, now);
        return plan.starts.length === 0 ? plan : { ...plan, adopts: [] };
      },
    },
  },
];
