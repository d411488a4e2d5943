import { withLoop } from './draft.ts';
import type { Stamp } from '../model/events.ts';
import { landingQueue } from './landing-queue.ts';
import { park } from './loop.ts';
import type { LandingTrouble, State } from '../model/model.ts';

/** Nothing lands until a person, or a new commit on the target, changes something. If there is one already, it is tried. */
export function stopLanding(state: State, trouble: LandingTrouble): State {
  const { targetHead } = state;
  const isOvertaken = trouble.target !== null && targetHead !== null && trouble.target !== targetHead;
  return { ...state, landing: null, landingTrouble: isOvertaken ? null : trouble };
}

/** What builds on a branch that was put aside cannot land before it: it is put aside too, and says so. */
export function parkStranded(state: State, stamp: Stamp): State {
  for (const loop of landingQueue(state)) {
    const base = loop.onto.map((id) => state.loops[id]).find((one) => one?.phase.at === 'parked');
    if (base === undefined) continue;
    const stranded = park(loop, 'base-parked', `builds on ${base.branch}, which was put aside`, stamp);
    return parkStranded(withLoop(state, stranded), stamp);
  }
  return state;
}
