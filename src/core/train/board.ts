import { standAt } from '../loops/integration-value.ts';
import { buildsOn } from '../loops/landing-queue.ts';
import { park } from '../loops/loop.ts';
import { parkStranded, describeClash, flawReport, mayAnyMend, putOutRed } from '../loops/rework.ts';
import { sharesBranch } from '../loops/take-over.ts';
import { taskIdOf } from '../model/tasks.ts';
import { stood, triedOn } from '../loops/waiting.ts';
import { withEntry, withLoop } from '../loops/draft.ts';
import { drive } from './drive.ts';
import { baseMoved } from '../loops/base.ts';
import { sawGreen, withOdds } from '../loops/odds.ts';
import type { Event, Stamp } from '../model/events.ts';
import type { LoopId, Sha } from '../model/ids.ts';
import type { Car, Landing, Loop, State } from '../model/model.ts';

type Built = Extract<Event, { type: 'train-built' }>;

/** The cars are merged. Who did not fit is noted or put aside, who turned out to be landed is, and the train starts. */
export function boarded(state0: State, landing: Landing, event: Built, stamp: Stamp): State {
  if (landing.stage.at !== 'building' || landing.build !== event.build) return state0;
  const isQueued = ({ loop: id, head }: Car): boolean => {
    const loop = id === null ? undefined : state0.loops[id];
    return id === null || (loop?.phase.at === 'ready' && loop.phase.queued && loop.head === head);
  };
  // Somebody took one out of the queue while it was merged in, or put another head of it in: build again.
  if (!event.cars.every(isQueued)) return { ...state0, landing: { ...landing, build: landing.build + 1 } };
  const isUpstreamAboard = event.cars.some((car) => car.loop === null);
  const publishing = isUpstreamAboard ? state0.publishing : { ...state0.publishing, diverged: false };
  // It followed the target to where nobody here had seen it yet.
  const isFollowing = event.base !== state0.integration && event.base !== state0.targetHead;
  const moved = isFollowing ? { isTargetMoved: true } : {};
  let state: State = { ...standAt(state0, event.base, event.users === true), publishing, ...moved };
  for (const { loop, commit } of event.contained) state = landLoop(state, loop, commit, stamp);
  for (const { loop, why } of event.broken) state = change(state, loop, (one) => park(one, 'broken', why, stamp));
  for (const { loop, why } of event.flawed ?? [])
    state = change(state, loop, (one) => putOutRed(state, one, flawReport(why, one), stamp));
  for (const { loop, ...done } of event.duplicates ?? [])
    state = change(state, loop, (one) => park(one, 'duplicate', describeDuplicate(state0, one, done), stamp));
  for (const { loop, onto } of event.implied) state = stack(state, loop, onto);
  for (const clash of event.clashes) state = noteClash(state, event.base, clash, stamp);
  for (const car of event.cars)
    if (car.loop !== null)
      state = change(state, car.loop, (one) => ({ ...one, landings: one.landings + 1, clash: null }));
  const commits = new Set<Sha>([...event.cars.map((car) => car.commit), event.base]);
  const trees = new Set<Sha>([...event.cars.map((car) => car.tree), event.baseTree]);
  const built: Landing = {
    ...landing,
    stage: { at: 'testing' },
    base: event.base,
    baseTree: event.baseTree,
    cars: event.cars,
    runs: landing.runs.filter((run) => commits.has(run.commit)),
    // The same tree on another base may be red for another reason.
    reds: landing.base === event.base ? landing.reds.filter((red) => trees.has(red.tree)) : [],
    left: [...event.clashes.filter((clash) => !clash.main), ...event.implied]
      .map((one) => one.loop)
      .filter((id) => !event.cars.some((car) => car.loop === id)),
  };
  return drive(parkStranded({ ...state, landing: built }, stamp), stamp);
}

type Duplicate = NonNullable<Built['duplicates']>[number];

function describeDuplicate(state: State, loop: Loop, { where, commit, kept }: Omit<Duplicate, 'loop'>): string {
  const by = commit === null ? '' : ` by ${commit.slice(0, SHORT_DIGITS)}`;
  return `${taskIdOf(state, loop.task)} is done on ${where}${by}; this work is kept on ${loop.branch} and as ${kept}`;
}

const SHORT_DIGITS = 10;

/** A branch was found to hold others' work. Two that hold each other's would wait for each other: then one goes first. */
function stack(state: State, id: LoopId, onto: readonly LoopId[]): State {
  const isFree = (other: LoopId): boolean => {
    const below = state.loops[other];
    const one = state.loops[id];
    if (below === undefined || one === undefined || sharesBranch(one, below)) return false;
    return !buildsOn(state, below, id);
  };
  return change(state, id, (one) => ({ ...one, onto: [...new Set([...one.onto, ...onto.filter(isFree)])] }));
}

/** What does not merge with integration itself waits to be mended, or is put aside. What only does not merge behind others waits for the next train. */
function noteClash(
  state: State,
  base: Sha,
  { loop: id, main, paths, with: others }: Built['clashes'][number],
  stamp: Stamp,
): State {
  if (!main) return state;
  return change(state, id, (loop) => {
    const noted: Loop = { ...loop, clash: { base, paths, with: others } };
    if (mayAnyMend(state, loop)) return noted;
    const tried = loop.rework === null ? '' : `; mended ${times(loop.rework.times)} before`;
    const detail = `${describeClash(state, loop, { paths, with: others })}${tried}`;
    return { ...park(noted, 'conflict', detail, stamp, paths), tried: triedOn(state, base) };
  });
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

function change(state: State, id: LoopId, how: (loop: Loop) => Loop): State {
  const loop = state.loops[id];
  if (loop?.phase.at !== 'ready') return state;
  return withLoop(state, how(loop));
}

/** Integration moved to a car: it and all before it have landed, and the rest of the train goes on from there. */
export function advanced(state: State, landing: Landing, commit: Sha, stamp: Stamp): State {
  if (landing.stage.at !== 'advancing' || landing.stage.commit !== commit) return state;
  const count = landing.cars.findIndex((car) => car.commit === commit) + 1;
  const passed = landing.cars.slice(0, count);
  const last = passed.at(-1);
  if (last === undefined) return state;
  const moved = baseMoved({ ...state, integration: commit, proof: 'landed', granted: [] }, commit, last.tree);
  let next: State = withOdds(moved, (odds) => sawGreen(odds, count));
  for (const car of passed)
    next =
      car.loop === null
        ? { ...next, publishing: { ...next.publishing, diverged: false } }
        : landLoop(next, car.loop, car.commit, stamp);
  const rest: Landing = {
    ...landing,
    stage: { at: 'testing' },
    base: commit,
    baseTree: last.tree,
    cars: landing.cars.slice(count),
    left: [],
  };
  return drive(stood({ ...next, landing: rest }), stamp);
}

export function landLoop(state: State, item: LoopId, commit: Sha, stamp: Stamp): State {
  const loop = state.loops[item];
  if (loop == null) return state;
  // A landed loop stays in every snapshot: what it said last is no longer worth the room.
  const landed: Loop = {
    ...loop,
    host: null,
    phase: { at: 'landed', commit },
    since: stamp.at,
    lastSaid: '',
    lastGate: null,
    footprint: [],
    clash: null,
  };
  const { [item]: _seen, ...foreseen } = state.foreseen;
  const n = state.landings + 1;
  const undone = withoutUndone(state, loop);
  return {
    ...state,
    loops: withEntry(state.loops, item, landed),
    landings: n,
    attempts: undone.attempts,
    landed: withEntry(undone.landed, loop.task, { loop: item, commit, at: stamp.at, n }),
    foreseen,
    publishing: { ...state.publishing, blocked: null },
  };
}

/** What it undid may be begun anew. */
function withoutUndone({ landed, attempts }: State, { reverts }: Loop): Pick<State, 'landed' | 'attempts'> {
  if (reverts === undefined || landed[reverts.task]?.commit !== reverts.commit) return { landed, attempts };
  const { [reverts.task]: _landed, ...others } = landed;
  const { [reverts.task]: _attempts, ...rest } = attempts;
  return { landed: others, attempts: rest };
}
