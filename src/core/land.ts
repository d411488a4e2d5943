import { unreachable } from './assert.ts';
import type { Event, Stamp } from './events.ts';
import type { LoopId, Sha } from './ids.ts';
import { canBeQueued, landingQueue, nextToLand } from './landing-queue.ts';
import { park } from './loop.ts';
import type { Candidate, GateReport, Landing, LandingStage, LandingTrouble, Loop, ParkReason, State } from './model.ts';
import { isLive, LANDING_WIDTH_MAX, loopsOf } from './model.ts';
import { recordVerdict, verdictOf } from './verdicts.ts';

type LandingEvent = Extract<
  Event,
  {
    type:
      | 'landing-requested'
      | 'landing-started'
      | 'candidate-built'
      | 'candidate-conflicted'
      | 'candidate-contained'
      | 'candidate-tested'
      | 'integration-advanced'
      | 'integration-contested'
      | 'integration-moved'
      | 'target-moved'
      | 'published'
      | 'publish-blocked'
      | 'publish-diverged'
      | 'command-failed';
  }
>;

export function applyLandingEvent(state: State, event: LandingEvent, stamp: Stamp): State {
  switch (event.type) {
    case 'landing-requested':
      return queueLoops(state, event.items, stamp);
    case 'landing-started':
      return startLanding(state, event, stamp);
    case 'integration-moved':
      // A landing under way goes on: its compare-and-swap decides.
      if (state.integration === event.head) return state;
      return { ...state, integration: event.head, publishing: { ...state.publishing, blocked: null } };
    case 'target-moved':
      return {
        ...state,
        targetHead: event.head,
        landingTrouble: null,
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
    case 'candidate-built':
    case 'candidate-conflicted':
    case 'candidate-contained':
    case 'candidate-tested':
    case 'integration-advanced':
    case 'integration-contested':
    case 'command-failed': {
      const landing = state.landing;
      return landing === null || landing.fence !== event.fence ? state : goOn(state, landing, event, stamp);
    }
    default:
      return unreachable(event);
  }
}

type Progress = Exclude<
  LandingEvent,
  {
    type:
      | 'integration-moved'
      | 'landing-requested'
      | 'landing-started'
      | 'target-moved'
      | 'published'
      | 'publish-blocked'
      | 'publish-diverged';
  }
>;

function goOn(state: State, landing: Landing, event: Progress, stamp: Stamp): State {
  switch (event.type) {
    case 'candidate-built':
      return built(state, landing, event.candidate);
    case 'candidate-conflicted':
      if (event.upstream)
        return stopLanding(state, {
          kind: 'upstream-conflict',
          detail: 'what landed and the new commits on the target conflict',
          paths: event.paths,
          target: state.targetHead,
        });
      return refuse(
        state,
        landing,
        'conflict',
        `conflicts with what landed before: ${event.paths.join(', ')}`,
        stamp,
        event.paths,
      );
    case 'candidate-contained':
      return contained({ ...state, integration: event.base }, landing, event.commit, stamp);
    case 'candidate-tested':
      return tested(state, landing, event.tree, event.report, stamp);
    case 'integration-advanced':
      return advanced(state, landing, event.commit, stamp);
    case 'integration-contested':
      return stage({ ...state, integration: event.now }, landing, { at: 'building' });
    case 'command-failed':
      // Integration may have moved all the same, and the item is not to blame: whoever lands next looks what is there.
      if (landing.item === null || event.command === 'advance-integration')
        return stopLanding(state, { kind: 'broken', detail: event.message, paths: [], target: state.targetHead });
      if (landing.width > 1) return narrow(state, landing, 1);
      return refuse(state, landing, 'broken', event.message, stamp);
    default:
      return unreachable(event);
  }
}

const stage = (state: State, landing: Landing, next: LandingStage): State => ({
  ...state,
  landing: { ...landing, stage: next },
});

function startLanding(state: State, event: Extract<Event, { type: 'landing-started' }>, stamp: Stamp): State {
  if (state.hosts[event.host] == null || nextToLand(state) !== event.item) return state;
  const loop = event.item === null ? undefined : state.loops[event.item];
  const loops =
    loop === undefined ? state.loops : { ...state.loops, [loop.id]: { ...loop, landings: loop.landings + 1 } };
  return {
    ...state,
    loops,
    landing: {
      item: event.item,
      host: event.host,
      fence: stamp.seq,
      width: LANDING_WIDTH_MAX,
      stage: { at: 'building' },
    },
  };
}

/** A tree the gates have passed before needs no second run: the verdict is about the tree, not the commit. */
function built(state: State, landing: Landing, candidate: Candidate): State {
  if (landing.stage.at !== 'building') return state;
  const followers = candidate.members.slice(1).map((member) => state.loops[member.loop]);
  // Somebody took one out of the queue while it was merged in: build again without it.
  if (followers.some((loop) => loop?.phase.at !== 'ready' || !loop.phase.queued)) return state;
  const loops = { ...state.loops };
  for (const loop of followers) if (loop != null) loops[loop.id] = { ...loop, landings: loop.landings + 1 };
  const known = verdictOf(state, gatesHashOf(state, landing), candidate.tree);
  return stage({ ...state, loops, integration: candidate.base }, landing, {
    at: known === 'green' ? 'advancing' : 'testing',
    candidate,
  });
}

/** Red together says nothing about any one of them: try fewer, until one is alone. */
const narrow = (state: State, landing: Landing, width: number): State => ({
  ...state,
  landing: { ...landing, width: Math.max(1, Math.floor(width / 2)), stage: { at: 'building' } },
});

function tested(state0: State, landing: Landing, tree: Sha, report: GateReport, stamp: Stamp): State {
  const at = landing.stage;
  if (at.at !== 'testing' && at.at !== 'proving') return state0;
  if (tree !== (at.at === 'testing' ? at.candidate.tree : at.candidate.baseTree)) return state0;
  const gatesHash = gatesHashOf(state0, landing);
  const state = recordVerdict(state0, gatesHash, tree, report.verdict);
  const { candidate } = at;
  if (at.at === 'proving') return blame(state, landing, report.verdict === 'red', at.red, stamp);
  if (report.verdict === 'green') return stage(state, landing, { at: 'advancing', candidate });
  if (candidate.upstream)
    return stopLanding(state, {
      kind: 'upstream-red',
      detail: `a gate fails once the new commits on the target are merged in: ${report.failing ?? ''}`,
      paths: [],
      target: state.targetHead,
    });
  if (candidate.members.length > 1) return narrow(state, landing, candidate.members.length);
  const base = verdictOf(state, gatesHash, candidate.baseTree);
  return base === null
    ? stage(state, landing, { at: 'proving', candidate, red: report })
    : blame(state, landing, base === 'red', report, stamp);
}

/** An item is put aside only with proof: the same base is green without it. */
function blame(state: State, landing: Landing, baseIsRed: boolean, red: GateReport, stamp: Stamp): State {
  const failing = red.failing ?? 'a gate';
  const aside = baseIsRed
    ? refuse(state, landing, 'main-red', `${failing} fails on main itself, with or without this work`, stamp)
    : refuse(state, landing, 'red', `${failing} fails once merged with main`, stamp);
  if (landing.item === null) return aside;
  const loop = aside.loops[landing.item];
  return loop == null ? aside : { ...aside, loops: { ...aside.loops, [loop.id]: { ...loop, lastGate: red } } };
}

function advanced(state: State, landing: Landing, commit: Sha, stamp: Stamp): State {
  if (landing.stage.at !== 'advancing' || landing.stage.candidate.commit !== commit) return state;
  const moved: State = { ...state, integration: commit };
  const { upstream, members } = landing.stage.candidate;
  if (!upstream && landing.item !== null)
    return members.reduce((before, member) => land(before, member.loop, member.commit, stamp), moved);
  const merged = { ...moved, publishing: { ...moved.publishing, diverged: false } };
  return landing.item === null ? { ...merged, landing: null } : stage(merged, landing, { at: 'building' });
}

/** Somebody moved integration there and could not write it down, or the user merged the branch by hand. */
function contained(state: State, landing: Landing, commit: Sha, stamp: Stamp): State {
  if (landing.item !== null) return land(state, landing.item, commit, stamp);
  return { ...state, landing: null, publishing: { ...state.publishing, diverged: false } };
}

function land(state: State, item: LoopId, commit: Sha, stamp: Stamp): State {
  const loop = state.loops[item];
  if (loop == null) return { ...state, landing: null };
  // A landed loop stays in every snapshot: what it said last is no longer worth the room.
  const landed: Loop = {
    ...loop,
    host: null,
    phase: { at: 'landed', commit },
    since: stamp.at,
    lastSaid: '',
    lastGate: null,
  };
  return {
    ...state,
    landing: null,
    loops: { ...state.loops, [item]: landed },
    landed: { ...state.landed, [loop.task]: { loop: item, commit, at: stamp.at } },
    publishing: { ...state.publishing, blocked: null },
  };
}

function refuse(
  state: State,
  landing: Landing,
  reason: ParkReason,
  detail: string,
  stamp: Stamp,
  paths: readonly string[] = [],
): State {
  const loop = landing.item === null ? undefined : state.loops[landing.item];
  if (loop == null) return { ...state, landing: null };
  const loops = { ...state.loops, [loop.id]: park(loop, reason, detail, stamp, paths) };
  return parkStranded({ ...state, landing: null, loops }, stamp);
}

/** What builds on a branch that was put aside cannot land before it: it is put aside too, and says so. */
export function parkStranded(state: State, stamp: Stamp): State {
  for (const loop of landingQueue(state)) {
    const base = loop.onto.map((id) => state.loops[id]).find((one) => one?.phase.at === 'parked');
    if (base === undefined) continue;
    const stranded = park(loop, 'base-parked', `builds on ${base.branch}, which was put aside`, stamp);
    return parkStranded({ ...state, loops: { ...state.loops, [loop.id]: stranded } }, stamp);
  }
  return state;
}

const stopLanding = (state: State, trouble: LandingTrouble): State => ({
  ...state,
  landing: null,
  landingTrouble: trouble,
});

/** Asked for by a person: what is ready, or was put aside at landing, goes (again) into the queue. */
function queueLoops(state: State, items: Extract<Event, { type: 'landing-requested' }>['items'], stamp: Stamp): State {
  const loops = { ...state.loops };
  for (const { loop: id, head } of items) {
    const loop = loops[id];
    if (loop == null || !canBeQueued(loop) || isTakenByAnother({ ...state, loops }, loop)) continue;
    loops[id] = { ...loop, head, since: stamp.at, phase: { at: 'ready', queued: true, readySeq: stamp.seq } };
  }
  return parkStranded({ ...state, loops, landingTrouble: null }, stamp);
}

/** Since it was asked for, the task may have been started anew, or have landed. */
function isTakenByAnother(state: State, loop: Loop): boolean {
  if (state.landed[loop.task] != null) return true;
  return loopsOf(state).some((other) => other.id !== loop.id && other.task === loop.task && isLive(other));
}

const gatesHashOf = (state: State, landing: Landing): string => state.hosts[landing.host]?.policy.gatesHash ?? '';
