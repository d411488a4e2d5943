import { describeBesides, heldBesides } from './besides.ts';
import { canBeQueued } from '../loops/landing-queue.ts';
import type { Loop, State } from '../model/model.ts';
import { loopsOf } from '../model/model.ts';
import { whyNotAboard } from './queue-view.ts';

/** Whether a loop would land if somebody said so now. */
export interface MergeState {
  readonly state: 'ready' | 'blocked' | 'merging';
  /** What is in the way, in words; null: nothing is. */
  readonly why: string | null;
}

/** Null: there is nothing to land, or it has landed. */
export function mergeState(state: State, loop: Loop): MergeState | null {
  const { phase } = loop;
  if (state.landing?.cars.some((car) => car.loop === loop.id) === true) return { state: 'merging', why: null };
  if (phase.at === 'parked') return canBeQueued(loop) ? blocked(`${phase.reason}: ${phase.detail}`) : null;
  if (phase.at !== 'ready') return null;
  const why = alsoHolds(loop) ?? stopped(state) ?? under(state, loop) ?? busy(state);
  if (why !== null) return blocked(why);
  return phase.queued && state.landing !== null ? blocked(whyNotAboard(state, loop)) : { state: 'ready', why: null };
}

const blocked = (why: string): MergeState => ({ state: 'blocked', why });

function alsoHolds(loop: Loop): string | null {
  const besides = heldBesides(loop);
  return besides === null ? null : describeBesides(besides);
}

function stopped({ queuePaused, landingTrouble }: State): string | null {
  if (queuePaused) return 'the queue is paused';
  return landingTrouble === null ? null : `landing is stopped: ${landingTrouble.detail}`;
}

/** It can only land behind what it builds on. */
function under(state: State, loop: Loop): string | null {
  const below = loop.onto.map((id) => state.loops[id]).find((one) => one !== undefined && one.phase.at !== 'landed');
  return below === undefined ? null : `builds on ${below.id}, which has not landed`;
}

/** Another process lands right now: whose work, in the words of its task. */
function busy(state: State): string | null {
  const { landing } = state;
  if (landing === null) return null;
  const aboard = loopsOf(state).filter((loop) => landing.cars.some((car) => car.loop === loop.id));
  const titles = aboard.map((loop) => loop.title).join(', ');
  const pid = state.hosts[landing.host]?.mark.pid;
  return `process ${pid ?? '?'} is landing${titles === '' ? '' : `: ${titles}`}`;
}
