import { REAL_BRAIN } from '../../src/engine/brain.ts';
import type { Mutant } from './mutants.ts';

const { fold } = REAL_BRAIN;

/** Bugs of what happens while main itself fails. */
export const BASE_MUTANTS: readonly Mutant[] = [
  {
    name: 'what waits for main has lost an iteration',
    caughtBy: ['waiting-counts-for-nothing'],
    brain: {
      ...REAL_BRAIN,
      fold: (state, record) => {
        const next = fold(state, record);
        const loops = Object.entries(next.loops).map(([id, loop]) => {
          const began = loop.waitsFor === 'base' && state.loops[loop.id]?.waitsFor !== 'base';
          return [id, began ? { ...loop, counted: loop.counted + 1 } : loop];
        });
        return { ...next, loops: Object.fromEntries(loops) as typeof next.loops };
      },
    },
  },
  {
    name: 'a main that was red is never green again',
    caughtBy: ['all-is-explained'],
    brain: {
      ...REAL_BRAIN,
      fold: (state, record) => {
        const next = fold(state, record);
        const bases = Object.entries(next.bases).map(([gates, base]) => {
          return [gates, { ...base, red: base.red ?? state.bases[gates]?.red ?? null }];
        });
        return { ...next, bases: Object.fromEntries(bases) as typeof next.bases };
      },
    },
  },
];
