import type { Event } from '../../../src/core/model/events.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import type { Landing, Loop, State } from '../../../src/core/model/model.ts';
import type { Facts } from '../../../src/core/fold/fold.ts';
import { REAL_BRAIN } from '../../../src/engine/brain.ts';
import type { Integration } from '../../../src/world/contract/world.ts';
import { commit, get, move } from './repo.ts';
import type { Parts, Property, Sim } from './sim.ts';
import { itemOf, REAL_PARTS } from './sim.ts';

export interface Mutant {
  readonly name: string;
  /** The properties of which one must speak up. */
  readonly caughtBy: readonly Property[];
  readonly parts: Parts;
}

const { fold } = REAL_BRAIN;

const withFold = (change: (state: State, record: Facts) => State): Parts => ({
  ...REAL_PARTS,
  brain: { ...REAL_BRAIN, fold: change },
});

const withEvents = (change: (event: Event) => readonly Event[]): Parts =>
  withFold((state, record) => fold(state, { ...record, events: record.events.flatMap(change) }));

const withIntegration = (change: (sim: Sim, real: Integration) => Partial<Integration>): Parts => ({
  ...REAL_PARTS,
  integration: (sim, real) => ({ ...real, ...change(sim, real) }),
});

const aside = (loop: Loop): Loop => ({
  ...loop,
  host: null,
  phase: { at: 'parked', reason: 'red', detail: 'a mutant said so', paths: [] },
});

function redTree({ events }: Facts): Sha | null {
  for (const event of events)
    if (event.type === 'candidate-tested' && event.report.verdict === 'red') return event.tree;
  return null;
}

/** Integration would move one car further than the gates allow. */
function onePast(landing: Landing): Landing {
  const { stage, cars } = landing;
  if (stage.at !== 'advancing') return landing;
  const next = cars[cars.findIndex((car) => car.commit === stage.commit) + 1];
  return next === undefined ? landing : { ...landing, stage: { at: 'advancing', commit: next.commit } };
}

const remembered = new WeakMap<Sim, Set<string>>();
let calls = 0;

/** Wrong versions of what decides: each one lands, blames or forgets as some real queue once did. */
const WRONG_DECISIONS: readonly Mutant[] = [
  {
    name: 'integration moves one car past the last green one',
    caughtBy: ['P1'],
    parts: withFold((state, record) => {
      const next = fold(state, record);
      const isNew = state.landing?.stage.at !== 'advancing' && next.landing !== null;
      return isNew && next.landing !== null ? { ...next, landing: onePast(next.landing) } : next;
    }),
  },
  {
    name: 'red counts as green',
    caughtBy: ['P1'],
    parts: withEvents((event) =>
      event.type === 'candidate-tested' ? [{ ...event, report: { ...event.report, verdict: 'green' } }] : [event],
    ),
  },
  {
    name: 'what conflicts is marked as landed',
    caughtBy: ['P2'],
    parts: withEvents((event) =>
      event.type === 'train-built'
        ? [{ ...event, clashes: [], contained: event.clashes.map(({ loop }) => ({ loop, commit: event.base })) }]
        : [event],
    ),
  },
  {
    name: 'whoever rides last on a red train is blamed',
    caughtBy: ['P5'],
    parts: withFold((state, record) => {
      const next = fold(state, record);
      const tree = redTree(record);
      const id = state.landing?.cars.find((car, index) => index > 0 && car.tree === tree)?.loop ?? null;
      const loop = id === null ? undefined : next.loops[id];
      if (loop?.phase.at !== 'ready') return next;
      return { ...next, landing: null, loops: { ...next.loops, [loop.id]: aside(loop) } };
    }),
  },
  {
    name: 'a train is judged on although integration has moved',
    caughtBy: ['P5'],
    parts: withFold((state, record) => {
      const next = fold(state, record);
      const isMoved = record.events.some((event) => event.type === 'integration-moved');
      return isMoved && next.landing === null ? { ...next, landing: state.landing } : next;
    }),
  },
  {
    name: 'one red run is proof enough',
    caughtBy: ['P5'],
    parts: withEvents((event) => {
      if (event.type !== 'host-joined') return [event];
      const train = { ...event.policy.train, flakeRetries: 0 };
      return [{ ...event, policy: { ...event.policy, train } }];
    }),
  },
  {
    name: 'a later red cancels what has landed',
    caughtBy: ['P3'],
    parts: withFold((state, record) => {
      const next = fold(state, record);
      const landed = Object.values(next.loops).findLast((loop) => loop.phase.at === 'landed');
      if (redTree(record) === null || landed === undefined) return next;
      return { ...next, loops: { ...next.loops, [landed.id]: aside(landed) } };
    }),
  },
  {
    name: 'what is put aside is forgotten',
    caughtBy: ['P3'],
    parts: withFold((state, record) => {
      const next = fold(state, record);
      const loops = Object.entries(next.loops).filter(([, loop]) => loop.phase.at !== 'parked');
      return { ...next, loops: Object.fromEntries(loops) };
    }),
  },
  {
    name: 'a red verdict is not heard',
    caughtBy: ['P6'],
    parts: withEvents((event) => (event.type === 'candidate-tested' && event.report.verdict === 'red' ? [] : [event])),
  },
  {
    name: 'a train that has landed is not let go',
    caughtBy: ['P12'],
    parts: withFold((state, record) => {
      const next = fold(state, record);
      const { landing } = state;
      const isDone = record.events.some((event) => event.type === 'integration-advanced') && next.landing === null;
      return isDone && landing !== null
        ? { ...next, landing: { ...landing, cars: [], runs: [], stage: { at: 'testing' } } }
        : next;
    }),
  },
  {
    name: 'the state knows something that the log does not',
    caughtBy: ['P10'],
    parts: withFold((state, record) => {
      calls += 1;
      return fold(state, { ...record, at: record.at + (calls % 7) });
    }),
  },
];

/** Wrong versions of what acts. */
const WRONG_ACTS: readonly Mutant[] = [
  {
    name: 'integration is moved without looking where it is',
    caughtBy: ['P9'],
    parts: withIntegration(({ workload: { repo } }) => ({
      advance: async ({ to }) => {
        move(repo, 'integration', to, 'land');
        return { moved: true };
      },
    })),
  },
  {
    name: 'each car is merged with the base instead of the car before it',
    caughtBy: ['P11'],
    parts: withIntegration(({ workload: { repo } }, real) => ({
      build: async (options) => {
        const made = await real.build({ ...options, base: options.under });
        if ('conflicts' in made || options.base === options.under) return made;
        const { tokens, lands } = get(repo, made.commit);
        const wrong = commit(repo, [options.base, options.head], tokens, { isOurs: true, lands });
        return { ...made, commit: wrong.id, tree: wrong.tree };
      },
    })),
  },
  {
    name: 'where two sides conflict, both are taken',
    caughtBy: ['P7'],
    parts: withIntegration((sim, real) => ({
      build: async (options) => {
        const { repo, items } = sim.workload;
        const made = await real.build(options);
        const item = items.find((one) => one.task === options.tick);
        if (!('conflicts' in made) || item === undefined) return made;
        const tokens = get(repo, options.base).tokens | get(repo, options.head).tokens | item.tick;
        const both = commit(repo, [options.base, options.head], tokens, { isOurs: true, lands: item.loop });
        return { commit: both.id, tree: both.tree, resolved: [] };
      },
    })),
  },
  {
    name: 'nobody asks what else a branch holds',
    caughtBy: ['P11'],
    parts: withIntegration(() => ({ unlandedWithin: async () => [] })),
  },
  {
    name: 'the branch lands as it is now, not as it was when it was ready',
    caughtBy: ['P9'],
    parts: withIntegration((sim, real) => ({
      build: (options) => {
        const item = sim.workload.items.find((one) => one.task === options.tick);
        const tip = item === undefined ? undefined : sim.workload.repo.branches.get(`ralph/${item.loop}`);
        return real.build({ ...options, head: tip ?? options.head });
      },
    })),
  },
  {
    name: "the user's own commits are forgotten",
    caughtBy: ['P9'],
    parts: withIntegration((_sim, real) => ({
      sync: async (known) => ({ ...(await real.sync(known)), upstream: null }),
    })),
  },
  {
    name: 'nobody looks whether it has landed already',
    caughtBy: ['P3'],
    parts: withIntegration(() => ({ findLanded: async () => null })),
  },
  {
    name: "landing moves the user's branch as well",
    caughtBy: ['P4'],
    parts: withIntegration(({ workload: { repo } }, real) => ({
      advance: async (options) => {
        const moved = await real.advance(options);
        if (moved.moved) move(repo, 'target', options.to, 'land');
        return moved;
      },
    })),
  },
  {
    name: "publishing overwrites the user's branch",
    caughtBy: ['P4'],
    parts: {
      ...REAL_PARTS,
      publish:
        ({ workload: { repo } }) =>
        async (to) => {
          move(repo, 'target', to, 'publish');
          return { outcome: 'published', to };
        },
    },
  },
  {
    name: 'a red verdict is remembered by branch, on whatever base',
    caughtBy: ['P5'],
    parts: {
      ...REAL_PARTS,
      gate: (sim, { lands }, green) => {
        const red = remembered.get(sim) ?? new Set();
        remembered.set(sim, red);
        if (!green && lands !== null) red.add(itemOf(sim, lands).task);
        return green && (lands === null || !red.has(itemOf(sim, lands).task));
      },
    },
  },
];

export const MUTANTS: readonly Mutant[] = [...WRONG_DECISIONS, ...WRONG_ACTS];
