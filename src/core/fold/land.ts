import { unreachable } from '../model/assert.ts';
import { baseFound, baseTested, baseUntested } from '../loops/base.ts';
import { newerEvent } from '../model/errors.ts';
import { canBeQueued, canLand } from '../loops/landing-queue.ts';
import { park } from '../loops/loop.ts';
import { isLive, loopsOf } from '../model/model.ts';
import { parkStranded, stopLanding, sentBack } from '../loops/rework.ts';
import { standAt } from '../loops/integration-value.ts';
import { applySuspectEvent, SUSPECT_COMMANDS, tryAgain } from '../train/suspect.ts';
import { isWithdrawn, wantedBy } from '../loops/withdrawn.ts';
import { advanced, landLoop, boarded } from '../train/board.ts';
import { tested } from '../train/drive.ts';
import type { Event, Stamp } from '../model/events.ts';
import type { Sha } from '../model/ids.ts';
import type { Landing, Loop, State } from '../model/model.ts';

export type LandingEvent = Extract<
  Event,
  {
    type:
      | 'landing-requested'
      | 'landing-started'
      | 'train-built'
      | 'upstream-conflicted'
      | 'candidate-tested'
      | 'base-found'
      | 'base-tested'
      | 'integration-advanced'
      | 'integration-contested'
      | 'integration-moved'
      | 'integration-intruded'
      | 'integration-unknown'
      | 'integration-tested'
      | 'integration-put-back'
      | 'integration-left'
      | 'train-refs-lost'
      | 'target-moved'
      | 'published'
      | 'publish-blocked'
      | 'publish-diverged'
      | 'loop-sent-back'
      | 'queue-paused'
      | 'queue-resumed'
      | 'loop-bumped'
      | 'loop-ejected'
      | 'landings-found'
      | 'command-failed';
  }
>;

export function applyLandingEvent(state: State, event: LandingEvent, stamp: Stamp): State {
  switch (event.type) {
    case 'landing-requested':
      return queueLoops(state, event.items, stamp);
    case 'landing-started':
      return startLanding(state, event, stamp);
    case 'loop-sent-back':
      return sentBack(state, event, stamp);
    case 'queue-paused':
      // What has begun to move integration is seen to its end.
      return { ...state, queuePaused: true, landing: isAdvancing(state) ? state.landing : null };
    case 'queue-resumed':
      return { ...state, queuePaused: false };
    case 'loop-bumped':
      return bump(state, event.loop, stamp);
    case 'loop-ejected':
      return eject(state, event.loop, stamp);
    case 'landings-found':
      return foundLandings(state, event, stamp);
    case 'integration-moved':
      return integrationMoved(state, event.head, event.users === true);
    case 'integration-intruded':
    case 'integration-unknown':
    case 'integration-tested':
    case 'integration-put-back':
    case 'integration-left':
      return applySuspectEvent(state, event, stamp);
    case 'target-moved':
      return {
        ...state,
        targetHead: event.head,
        // Seen for the first time, or where our own publishing was cut short, nobody moved it.
        ...(state.targetHead === null || event.head === state.integration ? {} : { isTargetMoved: true }),
        landingTrouble: null,
        // Whose trouble is over tries once more, or hosts would wait for what nobody does.
        suspect: tryAgain(state.suspect),
        publishing: { ...state.publishing, blocked: null },
      };
    case 'published':
      return { ...state, targetHead: event.to, publishing: { published: event.to, blocked: null, diverged: false } };
    case 'publish-blocked':
      return {
        ...state,
        publishing: { ...state.publishing, blocked: { to: event.to, why: event.why, paths: event.paths } },
      };
    case 'publish-diverged':
      return { ...state, publishing: { ...state.publishing, diverged: true } };
    case 'base-found':
      return baseFound(state, event, stamp);
    case 'base-tested':
      return baseTested(state, event);
    case 'train-built':
    case 'upstream-conflicted':
    case 'candidate-tested':
    case 'integration-advanced':
    case 'integration-contested':
    case 'train-refs-lost':
    case 'command-failed': {
      if (event.type === 'command-failed' && SUSPECT_COMMANDS.has(event.command)) return stuck(state, event.message);
      if (event.type === 'command-failed' && event.command === 'test-base') return baseUntested(state, stamp.by);
      const { landing } = state;
      return landing === null || landing.fence !== event.fence ? state : goOn(state, landing, event, stamp);
    }
    default:
      throw newerEvent(stamp.seq, event);
  }
}

type Progress = Extract<LandingEvent, { readonly fence: number }>;

function goOn(state: State, landing: Landing, event: Progress, stamp: Stamp): State {
  switch (event.type) {
    case 'train-built':
      return boarded(state, landing, event, stamp);
    case 'upstream-conflicted':
      return stopLanding(state, {
        kind: 'upstream-conflict',
        detail: 'what landed and the new commits on the target conflict',
        paths: event.paths,
        target: event.head,
      });
    case 'candidate-tested':
      return tested(state, landing, event, stamp);
    case 'integration-advanced':
      return advanced(state, landing, event.commit, stamp);
    case 'integration-contested':
      // Somebody moved integration: what was tested is about another base.
      return { ...standAt(state, event.now, event.users === true), landing: null };
    case 'train-refs-lost':
      return isAdvancing(state)
        ? state
        : { ...state, landing: { ...landing, stage: { at: 'building' }, build: landing.build + 1 } };
    case 'command-failed':
      // Integration may have moved all the same, and nobody is to blame: whoever lands next looks what is there.
      return brokenOff(state, event.message);
    default:
      return unreachable(event);
  }
}

const stuck = (state: State, detail: string): State =>
  brokenOff(state.suspect === null ? state : { ...state, suspect: { ...state.suspect, isStuck: true } }, detail);

const brokenOff = (state: State, detail: string): State =>
  stopLanding(state, { kind: 'broken', detail, paths: [], target: state.targetHead });

function startLanding(state: State, event: Extract<Event, { type: 'landing-started' }>, stamp: Stamp): State {
  if (state.hosts[event.host] == null || !canLand(state)) return state;
  return {
    ...state,
    landing: {
      host: event.host,
      fence: stamp.seq,
      build: 1,
      stage: { at: 'building' },
      base: null,
      baseTree: null,
      cars: [],
      runs: [],
      reds: [],
      left: [],
    },
  };
}

/** Asked for by a person, who thereby approves these heads: what is ready, or was put aside at landing, goes (again) into the queue. */
export function queueLoops(
  state: State,
  items: Extract<Event, { type: 'landing-requested' }>['items'],
  stamp: Stamp,
): State {
  const loops = { ...state.loops };
  for (const [at, { loop: id, head }] of items.entries()) {
    const loop = loops[id];
    const isHeld = loop?.phase.at === 'ready' && isWithdrawn(state, loop);
    if (loop == null || !(canBeQueued(loop) || isHeld) || isTakenByAnother({ ...state, loops }, loop)) continue;
    // Asked for together, they land in the order in which they were named.
    const readySeq = stamp.seq + at / (items.length + 1);
    const phase = { at: 'ready', queued: true, readySeq } as const;
    const isTwice = loop.phase.at === 'parked' && loop.phase.reason === 'duplicate';
    loops[id] = {
      ...loop,
      head,
      since: stamp.at,
      phase,
      clash: null,
      reviewed: { head, verdict: 'approved', at: stamp.at },
      ...(isTwice ? { isTwice } : {}),
      ...wantedBy(state, loop),
    };
  }
  return parkStranded({ ...state, loops, landingTrouble: null, suspect: tryAgain(state.suspect) }, stamp);
}

/** Since it was asked for, the task may have been started anew, or have landed. */
export function isTakenByAnother(state: State, loop: Loop): boolean {
  if (state.landed[loop.task] != null) return true;
  return loopsOf(state).some((other) => other.id !== loop.id && other.task === loop.task && isLive(other));
}

/** First on the next train; the one under way is given up for it where it is not aboard. */
function bump(state: State, id: Loop['id'], stamp: Stamp): State {
  const loop = state.loops[id];
  if (loop?.phase.at !== 'ready' || !loop.phase.queued) return state;
  const loops = { ...state.loops, [id]: { ...loop, bumped: stamp.seq } };
  const isFirst = state.landing?.cars.find((car) => car.loop !== null)?.loop === id;
  return { ...state, loops, landing: isFirst || isAdvancing(state) ? state.landing : null };
}

/** Taken out by a person. What has begun to move integration is no longer theirs to stop. */
function eject(state: State, id: Loop['id'], stamp: Stamp): State {
  const loop = state.loops[id];
  const { landing } = state;
  const at = landing === null ? -1 : landing.cars.findIndex((car) => car.loop === id);
  if (loop?.phase.at !== 'ready' || !loop.phase.queued || (at >= 0 && at < movingCars(landing))) return state;
  const loops = { ...state.loops, [id]: park(loop, 'ejected', 'a person took it out of the queue', stamp) };
  return parkStranded({ ...state, loops, landing: at < 0 ? landing : cutBefore(landing, at) }, stamp);
}

/** The train without a loop that was thrown away; one that integration moves past right now lands all the same. */
export function withoutCar(landing: Landing | null, id: Loop['id']): Landing | null {
  const at = landing === null ? -1 : landing.cars.findIndex((car) => car.loop === id);
  return at < movingCars(landing) ? landing : cutBefore(landing, at);
}

/** How many cars integration moves past right now. */
export function movingCars(landing: Landing | null): number {
  const { stage, cars } = landing ?? { stage: null, cars: [] };
  return stage?.at === 'advancing' ? cars.findIndex((car) => car.commit === stage.commit) + 1 : 0;
}

/** A train that moves integration goes on with what is before the cut; any other is built anew. */
function cutBefore(landing: Landing | null, at: number): Landing | null {
  if (landing === null || movingCars(landing) === 0) return null;
  const gone = new Set(landing.cars.slice(at).map((car) => car.commit));
  return { ...landing, cars: landing.cars.slice(0, at), runs: landing.runs.filter((run) => !gone.has(run.commit)) };
}

const isAdvancing = (state: State): boolean => state.landing?.stage.at === 'advancing';

function integrationMoved(state: State, head: Sha, isUsers: boolean): State {
  if (state.integration === head) return isUsers ? standAt(state, head, true) : state;
  return { ...standAt(state, head, isUsers), publishing: { ...state.publishing, blocked: null } };
}

/**
 * The log was lost, all of it or from somewhere on: what history says has landed is not done again. A landing that the log
 * knows stays as it is, for a person may have freed its task since.
 */
function foundLandings(
  state: State,
  { head, landings }: Extract<Event, { type: 'landings-found' }>,
  stamp: Stamp,
): State {
  // Integration was found elsewhere while this was tested, and is put back to where these may not be.
  if (head !== undefined && head !== state.integration) return state;
  let next = state;
  for (const { task, loop: id, commit, at } of landings) {
    const loop = next.loops[id];
    if (loop?.phase.at === 'landed') continue;
    if (loop?.task === task && isLive(loop)) next = { ...landLoop(next, id, commit, stamp), landing: null };
    else if (next.landed[task] == null)
      next = {
        ...next,
        landings: next.landings + 1,
        landed: { ...next.landed, [task]: { loop: id, commit, at, n: next.landings + 1 } },
      };
  }
  return next;
}
