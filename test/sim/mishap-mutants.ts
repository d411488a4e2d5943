import type { Event } from '../../src/core/events.ts';
import { REAL_BRAIN } from '../../src/engine/brain.ts';
import type { Brain } from '../../src/engine/brain.ts';
import type { Mutant } from './mutants.ts';

const { fold, schedule } = REAL_BRAIN;

const hears = (change: (event: Event) => Event | null): Brain => ({
  ...REAL_BRAIN,
  fold: (state, record) => fold(state, { ...record, events: record.events.map(change).filter((one) => one !== null) }),
});

/** Bugs about full disks, suspended hosts, strays, and work that was thrown away or found. */
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
    name: 'what the log does not know is forgotten',
    caughtBy: ['nothing-is-left-lying'],
    brain: hears((event) => (event.type === 'loops-found' ? null : event)),
  },
];
