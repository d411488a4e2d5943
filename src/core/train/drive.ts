import { invariant, unreachable } from '../model/assert.ts';
import { boarding } from '../loops/landing-queue.ts';
import { describeRed } from '../model/line-that-matters.ts';
import { parkStranded, stopLanding, putOutRed } from '../loops/rework.ts';
import { recordVerdict, verdictOf, flakeOf, hazardOf, sawRed, sawVerdict, withOdds } from '../loops/odds.ts';
import { sawRun, slotsOf } from './pace.ts';
import { tick } from './tick.ts';
import type { Event, Stamp } from '../model/events.ts';
import type { Sha } from '../model/ids.ts';
import type { Car, GateReport, GateRun, Host, Landing, RedTree, State } from '../model/model.ts';
import type { PrefixFacts, TrainSnapshot } from './tick.ts';

const CARS_MAX = 64;
const CARS_MIN = 8;
/** Before a train is taken from its host nothing can move integration for it any more, so one look at the ref settles all of them. */
const GRANTED_MAX = 64;

/** How many may ride: with more than this, the last ones would be built for nothing. */
export function trainLimit(state: State, host: Host): number {
  const slots = slotsOf(state.pace, host.policy.train);
  return Math.min(CARS_MAX, Math.max(CARS_MIN, Math.ceil(slots / hazardOf(state.odds))));
}

/** Applies the tick until it asks for something from outside: a gate run, a move of integration, another build. */
export function drive(state: State, stamp: Stamp): State {
  const { landing } = state;
  const host = landing === null ? undefined : state.hosts[landing.host];
  if (landing === null || host === undefined || landing.stage.at !== 'testing') return state;
  if (landing.cars.length === 0 || state.queuePaused) return { ...state, landing: null };
  const next = tick(snapshotOf(state, landing, host));
  switch (next.do) {
    case 'land': {
      const { commit } = prefixAt(landing, next.prefix);
      const granted = [...state.granted.filter((one) => one !== commit), commit].slice(-GRANTED_MAX);
      return { ...state, granted, landing: { ...landing, stage: { at: 'advancing', commit } } };
    }
    case 'eject':
      return eject(state, landing, host, stamp);
    case 'blame-base':
      return blameBase(state, landing);
    case 'test':
      return testing(state, landing, host, next.prefixes, stamp);
    default:
      return unreachable(next);
  }
}

function snapshotOf(state: State, landing: Landing, host: Host): TrainSnapshot {
  const { policy } = host;
  const facts = (commit: Sha | null, tree: Sha | null): PrefixFacts => ({
    isGreen: !policy.hasGates || (tree !== null && verdictOf(state, policy.gatesHash, tree) === 'green'),
    reds: landing.reds.find((red) => red.tree === tree)?.times ?? 0,
    isRunning: landing.runs.some((run) => run.commit === commit),
  });
  return {
    cars: landing.cars.map((car) => facts(car.commit, car.tree)),
    base: facts(landing.base, landing.baseTree),
    slots: slotsOf(state.pace, policy.train),
    hazard: hazardOf(state.odds),
    flake: flakeOf(state.odds),
    flakeRetries: policy.train.flakeRetries,
  };
}

function prefixAt({ base, baseTree, cars }: Landing, prefix: number): Pick<Car, 'commit' | 'tree'> {
  const found = prefix === 0 ? { commit: base, tree: baseTree } : cars[prefix - 1];
  invariant(found?.commit != null && found.tree != null, `a train of ${cars.length} has no prefix ${prefix}`);
  return { commit: found.commit, tree: found.tree };
}

/** Gate runs for these prefixes: those under way stay where they are. Before new ones start, whoever got ready meanwhile may board. */
function testing(state: State, landing: Landing, host: Host, prefixes: readonly number[], stamp: Stamp): State {
  const wanted = prefixes.map((prefix) => prefixAt(landing, prefix));
  const kept = landing.runs.filter((run) => wanted.some((car) => car.commit === run.commit));
  const fresh = wanted.filter((car) => !kept.some((run) => run.commit === car.commit));
  if (fresh.length > 0 && landing.reds.length === 0 && hasNewcomers(state, landing, host))
    return {
      ...state,
      landing: { ...landing, runs: kept, stage: { at: 'building' }, build: landing.build + 1 },
    };
  const runs = [...kept];
  for (const { commit, tree } of fresh) {
    const slot = freeSlot(runs);
    const again = landing.reds.find((red) => red.tree === tree)?.times ?? 0;
    runs.push({ commit, tree, slot, again, startedAt: stamp.at, beside: false });
  }
  const besides = runs.length > 1;
  return {
    ...state,
    landing: { ...landing, runs: runs.map((run) => (besides && !run.beside ? { ...run, beside: true } : run)) },
  };
}

function hasNewcomers(state: State, landing: Landing, host: Host): boolean {
  const limit = trainLimit(state, host);
  if (landing.cars.length >= limit) return false;
  const known = new Set([...landing.cars.map((car) => car.loop), ...landing.left]);
  return boarding(state, limit).some((id) => !known.has(id));
}

function freeSlot(runs: readonly GateRun[]): number {
  let slot = 1;
  while (runs.some((run) => run.slot === slot)) slot += 1;
  return slot;
}

type Tested = Extract<Event, { type: 'candidate-tested' }>;

/** A verdict on a prefix. A red one counts for this train alone; a green one for ever. */
export function tested(state0: State, landing: Landing, event: Tested, stamp: Stamp): State {
  const run = landing.runs.find((one) => one.tree === event.tree && one.again === event.again);
  const host = state0.hosts[landing.host];
  const { tree, report } = event;
  const isGreen = report.verdict === 'green';
  if (host === undefined || (run === undefined && !isGreen)) return state0;
  // Not asked for any more, but green is green.
  if (run === undefined) return recordVerdict(state0, host.policy.gatesHash, tree, 'green');
  const before = landing.reds.find((red) => red.tree === tree);
  const reds = isGreen ? landing.reds.filter((red) => red !== before) : withRed(landing.reds, tree, report);
  let state: State = recordVerdict(state0, host.policy.gatesHash, tree, report.verdict);
  if (isGreen) {
    state = withOdds(state, (odds) => sawVerdict(odds, before === undefined ? 'firm' : 'flaky'));
    state = { ...state, pace: sawRun(state.pace, event.durationMs, run.beside) };
  }
  const next: Landing = { ...landing, reds, runs: landing.runs.filter((one) => one !== run) };
  return drive({ ...state, landing: next }, stamp);
}

function withRed(reds: readonly RedTree[], tree: Sha, report: GateReport): readonly RedTree[] {
  const times = (reds.find((red) => red.tree === tree)?.times ?? 0) + 1;
  return [...reds.filter((red) => red.tree !== tree), { tree, times, report }];
}

/** The first car turned a green base red: it goes back to its maker or to a person, and the others are built anew without it. */
function eject(state0: State, landing: Landing, host: Host, stamp: Stamp): State {
  const [car] = landing.cars;
  const report = redReport(landing, car?.tree ?? null);
  if (car === undefined || car.loop === null)
    return stopLanding(state0, {
      kind: 'upstream-red',
      detail: `a gate fails once the new commits on the target are merged in: ${describeRed(report)}`,
      gate: report,
      paths: [],
      target: car?.head ?? state0.targetHead,
    });
  const loop = state0.loops[car.loop];
  const state = withOdds(state0, sawRed);
  const rebuilt: Landing = {
    ...landing,
    stage: { at: 'building' },
    build: landing.build + 1,
    cars: [],
    runs: [],
    reds: [],
    left: [],
  };
  if (loop === undefined) return { ...state, landing: rebuilt };
  const aside = putOutRed(state, loop, report, stamp);
  return ending(parkStranded({ ...state, loops: { ...state.loops, [loop.id]: aside }, landing: rebuilt }, stamp), host);
}

/** An empty build would be a build for nothing. */
function ending(state: State, host: Host): State {
  return boarding(state, trainLimit(state, host)).length === 0 ? { ...state, landing: null } : state;
}

/** Nothing can be said of anybody while main itself is red: all wait until somebody mends it. */
function blameBase(state: State, landing: Landing): State {
  const report = redReport(landing, landing.baseTree);
  return stopLanding(state, {
    kind: 'main-red',
    detail: describeRed(report, ' fails on main itself, with or without what waits to land'),
    paths: [],
    target: landing.cars.find((car) => car.loop === null)?.head ?? state.targetHead,
    gate: report,
  });
}

const redReport = (landing: Landing, tree: Sha | null): GateReport =>
  landing.reds.find((red) => red.tree === tree)?.report ?? { verdict: 'red', failing: null, tail: '' };
