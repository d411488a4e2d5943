import type { LoopId, Sha } from '../model/ids.ts';
import type { Landing, Loop, State } from '../model/model.ts';
import type { Stamp } from '../model/events.ts';
import { baseMoved } from '../loops/base.ts';
import { drive } from './drive.ts';
import { sawGreen, withOdds } from '../loops/odds.ts';

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
  return drive({ ...next, landing: rest }, stamp);
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
  return {
    ...state,
    loops: { ...state.loops, [item]: landed },
    landed: { ...state.landed, [loop.task]: { loop: item, commit, at: stamp.at } },
    foreseen,
    publishing: { ...state.publishing, blocked: null },
  };
}
