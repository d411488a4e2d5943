import type { Event } from '../../src/core/model/events.ts';
import type { State } from '../../src/core/model/model.ts';
import { REAL_BRAIN } from '../../src/engine/brain.ts';
import type { Brain } from '../../src/engine/brain.ts';
import type { Mutant } from './mutants.ts';

const { fold, schedule } = REAL_BRAIN;

const hears = (change: (event: Event, state: State) => Event | null): Brain => ({
  ...REAL_BRAIN,
  fold: (state, record) =>
    fold(state, { ...record, events: record.events.map((one) => change(one, state)).filter((one) => one !== null) }),
});

/** Bugs about full disks, suspended hosts, strays, and work that was stopped, thrown away or found. */
export const MISHAP_MUTANTS: readonly Mutant[] = [
  {
    name: 'tasks begin on a full disk',
    caughtBy: ['full-disks-rest'],
    brain: { ...REAL_BRAIN, schedule: (state, me) => schedule({ ...state, disk: null }, me) },
  },
  {
    name: 'a stray is forgiven',
    caughtBy: ['strays-are-parked'],
    brain: hears((event) => (event.type === 'iteration-ended' ? { ...event, breach: null } : event)),
  },
  {
    name: 'what was thrown away goes on',
    caughtBy: ['thrown-away-stays-away'],
    brain: {
      ...REAL_BRAIN,
      fold: (state, record) => {
        const next = fold(state, record);
        const thrown = record.events.find((event) => event.type === 'loop-discarded');
        const was = thrown === undefined ? undefined : state.loops[thrown.loop];
        return was?.phase.at === 'ready' ? { ...next, loops: { ...next.loops, [was.id]: { ...was } } } : next;
      },
    },
  },
  {
    name: 'what is to stop goes on',
    caughtBy: ['stopped-stays-stopped'],
    brain: {
      ...REAL_BRAIN,
      fold: (state, record) => {
        const next = fold(state, record);
        const loops = Object.entries(next.loops).map(([id, loop]) => [id, { ...loop, stopping: false }]);
        return { ...next, loops: Object.fromEntries(loops) as typeof next.loops };
      },
    },
  },
  {
    name: 'what an agent that was stopped cost is forgotten',
    caughtBy: ['sums-are-right'],
    brain: hears((event, state) => {
      const phase = event.type === 'iteration-ended' ? state.loops[event.loop]?.phase : undefined;
      return phase?.at === 'parked' ? null : event;
    }),
  },
  {
    name: 'what the log does not know is forgotten',
    caughtBy: ['nothing-is-left-lying'],
    brain: hears((event) => (event.type === 'loops-found' ? null : event)),
  },
];
