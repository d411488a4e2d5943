import type { Event } from '../../src/core/model/events.ts';
import { loopId } from '../../src/core/model/ids.ts';
import type { State } from '../../src/core/model/model.ts';
import { landingQueue } from '../../src/core/loops/landing-queue.ts';
import { park } from '../../src/core/loops/loop.ts';
import { REAL_BRAIN } from '../../src/engine/brain.ts';
import type { Brain } from '../../src/engine/brain.ts';
import type { Mutant } from './mutants.ts';

const { fold } = REAL_BRAIN;

/** A fold that takes each event for another one, or for one that happened in another state. */
const mistakes = (change: (state: State, event: Event) => readonly [State, Event]): Brain => ({
  ...REAL_BRAIN,
  fold: (start, record) => {
    let state = start;
    for (const event of record.events) {
      const [so, heard] = change(state, event);
      state = fold(so, { ...record, events: [heard] });
    }
    return { ...state, seq: record.seq };
  },
});

const onlyEvents = (change: (event: Event) => Event): Brain => mistakes((state, event) => [state, change(event)]);

const isRed = (event: Event): event is Extract<Event, { type: 'candidate-tested' }> =>
  event.type === 'candidate-tested' && event.report.verdict === 'red';

const withAutoMerge = (state: State): State => ({
  ...state,
  hosts: Object.fromEntries(
    Object.entries(state.hosts).map(([id, host]) => [
      id,
      { ...host, policy: { ...host.policy, mergePolicy: 'auto_merge' } },
    ]),
  ),
});

/** Bugs about trains, what is sent back, and what a person does to the queue. */
export const LANDING_MUTANTS: readonly Mutant[] = [
  {
    name: 'what is green lands, whoever has to read it first',
    caughtBy: ['approved-before-it-lands'],
    brain: mistakes((state, event) => [
      event.type === 'gates-ended' && event.protected.length === 0 ? withAutoMerge(state) : state,
      event,
    ]),
  },
  {
    name: 'a review is heard, and what it is about lands all the same',
    caughtBy: ['sent-back-is-out'],
    brain: onlyEvents((event) =>
      event.type === 'loop-reviewed' && event.verdict === 'changes'
        ? { type: 'loop-steered', loop: event.loop, text: 'never mind' }
        : event,
    ),
  },
  {
    name: 'integration is wherever its ref is',
    caughtBy: ['the-log-decides'],
    brain: {
      ...REAL_BRAIN,
      reconcile: (state, observed, me) =>
        REAL_BRAIN.reconcile(state, observed, me).map((event) =>
          event.type === 'integration-intruded' && event.head !== null
            ? { type: 'integration-moved', head: event.head, users: true }
            : event,
        ),
    },
  },
  {
    name: 'what a lost log left is believed as it is',
    caughtBy: ['the-log-decides'],
    brain: onlyEvents((event) =>
      event.type === 'integration-unknown' ? { type: 'integration-moved', head: event.head, users: true } : event,
    ),
  },
  {
    name: 'a red train is the fault of its first car',
    caughtBy: ['only-the-guilty'],
    brain: {
      ...REAL_BRAIN,
      fold: (state, record) => {
        const next = fold(state, record);
        const loop = next.loops[next.landing?.cars[0]?.loop ?? loopId('')];
        if (loop === undefined || !record.events.some(isRed) || next.landing?.stage.at !== 'testing') return next;
        const parked = park(loop, 'red', 'it was red', record);
        return { ...next, loops: { ...next.loops, [loop.id]: parked }, landing: null };
      },
    },
  },
  {
    name: 'main is always green',
    caughtBy: ['only-the-guilty'],
    brain: mistakes((state, event) => {
      const tree = state.landing?.baseTree ?? null;
      if (tree === null) return [state, event];
      return [{ ...state, verdicts: [...state.verdicts, { key: `g:${tree}`, verdict: 'green' }] }, event];
    }),
  },
  {
    name: 'all that conflict are sent back at once',
    caughtBy: ['one-mends-a-file'],
    brain: {
      ...REAL_BRAIN,
      conflictsToMend: (state) =>
        landingQueue(state).flatMap(({ id, clash }) => (clash?.base === state.integration ? [id] : [])),
    },
  },
  {
    name: 'work is sent back without end',
    caughtBy: ['mending-ends'],
    brain: onlyEvents((event) => {
      if (event.type !== 'host-joined') return event;
      return { ...event, policy: { ...event.policy, train: { ...event.policy.train, maxAttempts: 99 } } };
    }),
  },
  {
    name: 'conflict markers do not matter',
    caughtBy: ['no-marker-lands'],
    brain: onlyEvents((event) => (event.type === 'main-merged' ? { ...event, conflicts: [] } : event)),
  },
  {
    name: 'two gates share a slot',
    caughtBy: ['one-gate-a-slot'],
    brain: {
      ...REAL_BRAIN,
      fold: (state, record) => {
        const next = fold(state, record);
        const { landing } = next;
        if (landing === null || landing === state.landing || landing.runs.length < 2) return next;
        return { ...next, landing: { ...landing, runs: landing.runs.map((run) => ({ ...run, slot: 1 })) } };
      },
    },
  },
  {
    name: 'a held queue goes on',
    caughtBy: ['a-held-queue-rests'],
    brain: {
      ...REAL_BRAIN,
      fold: (state, record) => {
        const isStart = record.events.some((event) => event.type === 'landing-started');
        const next = fold(isStart ? { ...state, queuePaused: false } : state, record);
        return isStart ? { ...next, queuePaused: state.queuePaused } : next;
      },
      canLand: (state) => REAL_BRAIN.canLand({ ...state, queuePaused: false }),
    },
  },
  {
    name: 'who is taken out comes first',
    caughtBy: ['ejected-is-out'],
    brain: onlyEvents((event) => (event.type === 'loop-ejected' ? { type: 'loop-bumped', loop: event.loop } : event)),
  },
];
