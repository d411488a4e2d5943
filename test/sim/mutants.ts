import type { Event } from '../../src/core/model/events.ts';
import type { State } from '../../src/core/model/model.ts';
import { taskKey } from '../../src/core/model/ids.ts';
import { REAL_BRAIN } from '../../src/engine/brain.ts';
import type { Brain } from '../../src/engine/brain.ts';
import type { World } from '../../src/world/contract/world.ts';

export interface Mutant {
  readonly name: string;
  /** The invariants of which one must speak up. */
  readonly caughtBy: readonly string[];
  readonly brain: Brain;
  /** For bugs of the effects: the world as they would see it. */
  readonly world?: (world: World) => World;
}

const { fold, wishes, schedule, canLand, reconcile } = REAL_BRAIN;

/** The trackers as a mutant sees them: a rule that is about a field cannot be kept without it. */
function withTasks(state: State, change: (task: State['trackers'][string]['tasks'][number]) => typeof task): State {
  const trackers = Object.fromEntries(
    Object.entries(state.trackers).map(([path, tracker]) => [path, { ...tracker, tasks: tracker.tasks.map(change) }]),
  );
  return { ...state, trackers };
}

/** Rewrites what a record says of fences so that the fold takes it, however late it comes. */
function currentFence(state: State, event: Event): Event {
  if (!('fence' in event)) return event;
  const loop = 'loop' in event && event.loop !== null ? state.loops[event.loop] : undefined;
  const fence = loop?.fence ?? state.landing?.fence;
  return fence === undefined ? event : { ...event, fence };
}

const ungrouped = (state: State): State => ({
  ...withTasks(state, (task) => ({ ...task, group: null })),
  loops: Object.fromEntries(Object.entries(state.loops).map(([id, loop]) => [id, { ...loop, group: null }])),
});

/** As if no person had said anything, and none had to read anything. */
const unheld = ({ pausedAt: _since, ...state }: State): State => state;
const unread = (state: State): State => ({
  ...state,
  hosts: Object.fromEntries(
    Object.entries(state.hosts).map(([id, host]) => {
      const { maxWaiting: _max, ...policy } = host.policy;
      return [id, { ...host, policy }];
    }),
  ),
});

const unbounded = (state: State): State => ({
  ...state,
  hosts: Object.fromEntries(
    Object.entries(state.hosts).map(([id, host]) => [id, { ...host, policy: { ...host.policy, maxWorkers: 99 } }]),
  ),
});

/** Bugs that were or could have been: each must be seen by an invariant, or the simulator has no teeth. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a paused run begins as before',
    caughtBy: ['paused-starts-nothing'],
    brain: { ...REAL_BRAIN, schedule: (state, me) => schedule(unheld(state), me) },
  },
  {
    name: 'nobody counts what waits to be read',
    caughtBy: ['reviews-are-bounded'],
    brain: { ...REAL_BRAIN, schedule: (state, me) => schedule(unread(state), me) },
  },
  {
    name: 'the schedule ignores groups',
    caughtBy: ['groups-take-turns'],
    brain: { ...REAL_BRAIN, schedule: (state, me) => schedule(ungrouped(state), me) },
  },
  {
    name: 'the schedule ignores dependencies',
    caughtBy: ['dependencies-first'],
    brain: {
      ...REAL_BRAIN,
      schedule: (state, me) =>
        schedule(
          withTasks(state, (task) => ({ ...task, deps: [] })),
          me,
        ),
    },
  },
  {
    name: 'the schedule gives out a slot twice',
    caughtBy: ['slots'],
    brain: {
      ...REAL_BRAIN,
      schedule: (state, me) => {
        const plan = schedule(state, me);
        return { ...plan, starts: plan.starts.map((start) => ({ ...start, slot: 1 })) };
      },
    },
  },
  {
    name: 'the schedule gives each host room of its own',
    caughtBy: ['workers-are-bounded'],
    brain: { ...REAL_BRAIN, schedule: (state, me) => schedule(unbounded(state), me) },
  },
  {
    name: 'a candidate lands before the gates ran',
    caughtBy: ['only-green-lands'],
    brain: {
      ...REAL_BRAIN,
      wishes: (state, me) =>
        wishes(state, me).map((wish) => {
          const from = state.landing?.base ?? null;
          if (wish.type !== 'test-candidate' || from === null) return wish;
          return { type: 'advance-integration', key: `early:${wish.key}`, fence: wish.fence, from, to: wish.commit };
        }),
    },
  },
  {
    name: 'red counts as green on a candidate',
    caughtBy: ['only-green-lands'],
    brain: {
      ...REAL_BRAIN,
      fold: (state, record) =>
        fold(state, {
          ...record,
          events: record.events.map((event) =>
            event.type === 'candidate-tested' ? { ...event, report: { ...event.report, verdict: 'green' } } : event,
          ),
        }),
    },
  },
  {
    name: 'the fold takes facts with an old fence',
    caughtBy: ['strangers-change-nothing'],
    brain: {
      ...REAL_BRAIN,
      fold: (state, record) =>
        record.events.reduce(
          (so, event) => fold(so, { ...record, events: [currentFence(so, event)] }),
          fold(state, { ...record, events: [] }),
        ),
    },
  },
  {
    name: 'the fold forgets the loops of lost hosts',
    caughtBy: ['held-by-a-host'],
    brain: {
      ...REAL_BRAIN,
      fold: (state, record) => {
        const next = fold(state, record);
        return record.events.some((event) => event.type === 'host-lost') ? { ...next, loops: state.loops } : next;
      },
    },
  },
  {
    name: 'the fold gives a held task away again',
    caughtBy: ['one-loop-a-task'],
    brain: {
      ...REAL_BRAIN,
      schedule: (state, me) => {
        const plan = schedule(state, me);
        const tracker = state.hosts[me]?.policy.tracker ?? '';
        const held = plan.waits.find(({ waiting }) => waiting.why === 'held');
        if (held === undefined || plan.starts.length > 0) return plan;
        return { ...plan, starts: [{ task: taskKey(tracker, held.task.id), slot: 4, onto: [] }] };
      },
      fold: (state, record) => {
        const claim = record.events.find((event) => event.type === 'task-claimed');
        if (claim === undefined) return fold(state, record);
        const others = Object.entries(state.loops).filter(([, loop]) => loop.task !== claim.task);
        const next = fold({ ...state, loops: Object.fromEntries(others) }, record);
        return { ...next, loops: { ...state.loops, ...next.loops } };
      },
    },
  },
  {
    name: 'an iteration is started without asking whether it was',
    caughtBy: ['effects-run-once'],
    brain: REAL_BRAIN,
    world: (world) => ({ ...world, agents: { ...world.agents, wasStarted: () => false } }),
  },
  {
    name: 'wishes repeat a key',
    caughtBy: ['wishes-are-unique'],
    brain: { ...REAL_BRAIN, wishes: (state, me) => wishes(state, me).flatMap((wish) => [wish, wish]) },
  },
  {
    name: 'reconcile declares a living host dead',
    caughtBy: ['the-living-stay'],
    brain: {
      ...REAL_BRAIN,
      reconcile: (state, observed, me) => {
        const other = Object.values(state.hosts).find((host) => host.id !== me);
        const dead = other === undefined ? [] : [other.id];
        return reconcile(state, { ...observed, deadHosts: [...new Set([...observed.deadHosts, ...dead])] }, me);
      },
    },
  },
  {
    name: 'reconcile never stops telling where the target is',
    caughtBy: ['reconciled-once', 'hosts-come-to-an-end'],
    brain: {
      ...REAL_BRAIN,
      reconcile: (state, observed, me) => reconcile({ ...state, targetHead: null }, observed, me),
    },
  },
  {
    name: 'a landing begins while another is under way',
    caughtBy: ['one-landing', 'hosts-come-to-an-end'],
    brain: {
      ...REAL_BRAIN,
      canLand: (state) => canLand({ ...state, landing: null }),
      fold: (state, record) => {
        const isStart = record.events.some((event) => event.type === 'landing-started');
        return fold(isStart ? { ...state, landing: null } : state, record);
      },
    },
  },
  {
    name: 'what is landed is only believed',
    caughtBy: ['landed-is-landed', 'landed-stays'],
    brain: {
      ...REAL_BRAIN,
      fold: (state, record) =>
        fold(state, {
          ...record,
          events: record.events.map((event) => {
            if (event.type !== 'train-built') return event;
            const contained = event.cars.flatMap(({ loop, commit }) => (loop === null ? [] : [{ loop, commit }]));
            return { ...event, cars: [], contained };
          }),
        }),
    },
  },
];
