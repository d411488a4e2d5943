import { withLoop, openLoops } from './draft.ts';
import type { Event, Stamp } from '../model/events.ts';
import type { HostId, LoopId, Sha } from '../model/ids.ts';
import { boarding, landingQueue } from './landing-queue.ts';
import { describeRed } from '../model/line-that-matters.ts';
import { park, withinBudget } from './loop.ts';
import type { GateReport, Loop, Rework, State, TrainPolicy, LandingTrouble } from '../model/model.ts';
import { isWorking } from '../model/model.ts';
import { showConflict } from '../model/shell-word.ts';
import { taskIdOf } from '../model/tasks.ts';
import { triedOn } from './waiting.ts';

const WITH_MAX = 8;

/** What must hold beside the user's gates before mended work is ready again, named like gates. */
export const GUARDS = {
  markers: 'no conflict markers are left',
  stray: 'only the conflicting files are changed',
  whole: 'every commit passes the checks of git',
} as const;

/** What git says of the objects of a branch, as a gate would say it. */
export function flawReport(why: string, loop: Loop): GateReport {
  const remedy = loop.base === null ? [] : ['To commit the work again without it:', anew(loop.base)];
  return { verdict: 'red', failing: GUARDS.whole, tail: [why, ...remedy].join('\n') };
}

const anew = (base: Sha): string => `git reset --soft ${base} && git commit`;

/** The same where git cannot even look at the worktree, in one line. */
export function describeFlaw(why: string, { base }: Loop): string {
  const remedy = base === null ? '' : `; to commit the work again without it: ${anew(base)}`;
  return `its commits are damaged: ${why.split('\n')[0] ?? ''}${remedy}`;
}

/** Of those about a conflict: the prompt has words of its own for them. */
export const isGuard = (failing: string | null): boolean => failing === GUARDS.markers || failing === GUARDS.stray;

/** Ready work that does not fit goes back to be mended, unless that is not wanted or was tried often enough. */
function mayGoBack(loop: Loop, policy: TrainPolicy): boolean {
  // Main is merged into a worktree for that. A branch that stands in a person's checkout can stand in no other one.
  if (loop.place.at === 'checkout' && loop.place.branch !== null) return false;
  return policy.onConflict !== 'stop' && timesOf(loop, false) < policy.maxAttempts;
}

/** How often in a row it went back because it did not fit or, apart from that, after a review. */
export const timesOf = ({ rework }: Loop, isReview: boolean): number =>
  rework === null || (rework.kind === 'review') !== isReview ? 0 : rework.times;

type Trouble = Pick<Rework, 'kind' | 'by' | 'with' | 'paths' | 'detail'>;

/**
 * Nothing is merged into a person's checkout: a loop that worked there goes on in a worktree, and its files stay where
 * they are. One that was given back as a branch alone gets a worktree first, too.
 */
const apart = (loop: Loop): Pick<Loop, 'place' | 'worktree' | 'worktreeState' | 'phase'> =>
  loop.place.at === 'checkout' || loop.worktree === null
    ? { place: { at: 'worktree' }, worktree: null, worktreeState: 'none', phase: { at: 'preparing' } }
    : { ...loop, phase: { at: 'updating', n: loop.iteration + 1 } };

/** Back to work, held by nobody: whoever has a free slot takes it up. */
export function sendBack(loop: Loop, trouble: Trouble, stamp: Stamp): Loop {
  return {
    ...loop,
    ...apart(loop),
    host: null,
    since: stamp.at,
    clash: null,
    idleStreak: 0,
    failureStreak: 0,
    doneSaid: null,
    rework: {
      ...trouble,
      times: timesOf(loop, false) + 1,
      before: null,
      merged: null,
      countedBefore: loop.counted,
    },
  };
}

/** Red once merged with what landed since it began: mended by whoever made it. */
function sendBackRed(state: State, loop: Loop, report: GateReport, stamp: Stamp): Loop {
  const detail = describeRedMerged(report);
  const others = landedSince(state, loop);
  return {
    ...sendBack(loop, { kind: 'red', by: 'owner', with: others, paths: [], detail }, stamp),
    lastGate: report,
  };
}

/** Red on the train: back to whoever made it, or to a person. */
export const putOutRed = (state: State, loop: Loop, report: GateReport, stamp: Stamp): Loop =>
  mayAnyMend(state, loop)
    ? sendBackRed(state, loop, report, stamp)
    : {
        ...park(loop, 'red', describeRedMerged(report), stamp),
        lastGate: report,
        tried: triedOn(state, state.integration),
      };

/** Who landed while it was being worked on; the newest first. */
export function landedSince(state: State, loop: Loop): readonly LoopId[] {
  return Object.values(state.landed)
    .filter((landed) => landed.at >= loop.claimedAt && landed.loop !== loop.id)
    .sort((a, b) => b.at - a.at)
    .slice(0, WITH_MAX)
    .map((landed) => landed.loop);
}

/**
 * The loops to send back now because they do not merge. Of several that conflict in the same files only one: the others
 * would have to be mended again as soon as it lands. Those that nobody may mend any more are put aside by the same word.
 */
export function conflictsToMend(state: State, me: HostId): readonly LoopId[] {
  const host = state.hosts[me];
  if (host == null || host.isEnding) return [];
  const policy = host.policy.train;
  const busy = pathsUnderWay(state);
  const chosen: LoopId[] = [];
  for (const loop of landingQueue(state)) {
    const { clash } = loop;
    if (clash === null || clash.base !== state.integration) continue;
    if (!mayGoBack(loop, policy)) {
      if (!mayAnyMend(state, loop)) chosen.push(loop.id);
      continue;
    }
    if (clash.paths.some((path) => busy.has(path))) continue;
    for (const path of clash.paths) busy.add(path);
    chosen.push(loop.id);
  }
  return chosen;
}

/** Files that will be other ones soon: somebody mends them, or is about to land them. */
function pathsUnderWay(state: State): Set<string> {
  const mended = openLoops(state).flatMap((loop) =>
    isWorking(loop) && loop.rework?.kind === 'conflict' ? loop.rework.paths : [],
  );
  // Who waits for another loop to be mended would wait for ever if that one waited for it.
  const landing = boarding(state, Number.POSITIVE_INFINITY).flatMap((id) => state.loops[id]?.footprint ?? []);
  return new Set([...mended, ...landing]);
}

/** Some host would take it up again, whoever landed it. */
export const mayAnyMend = (state: State, loop: Loop): boolean =>
  Object.values(state.hosts).some(
    ({ state: at, policy }) =>
      at === 'up' && loop.task.startsWith(`${policy.tracker}#`) && mayGoBack(loop, policy.train),
  );

/** The one event by which a conflicting loop goes back. Another host may have been faster. */
export function sentBack(state: State, event: Extract<Event, { type: 'loop-sent-back' }>, stamp: Stamp): State {
  const loop = state.loops[event.loop];
  const policy = state.hosts[event.host]?.policy.train;
  if (loop?.phase.at !== 'ready' || loop.clash === null || policy == null) return state;
  const { paths, with: others } = loop.clash;
  const detail = describeClash(state, loop, loop.clash);
  if (!mayGoBack(loop, policy)) {
    const parked = { ...park(loop, 'conflict', detail, stamp, paths), tried: triedOn(state, loop.clash.base) };
    return parkStranded(withLoop(state, parked), stamp);
  }
  const by = policy.onConflict === 'ai_resolve' ? 'resolver' : 'owner';
  const back = sendBack(loop, { kind: 'conflict', by, with: others, paths, detail }, stamp);
  return withLoop(state, back);
}

const describeRedMerged = (report: GateReport): string =>
  report.failing === GUARDS.whole
    ? `not true of its commits: ${describeRed(report)}`
    : describeRed(report, ' fails once merged with main');

/** Where it conflicts, whose landed work it meets, and what shows it. */
export function describeClash(state: State, { branch, target }: Loop, { paths, with: others }: Met): string {
  const names = others.flatMap((id) => state.loops[id] ?? []).map((other) => taskIdOf(state, other.task));
  const by = names.length === 0 ? '' : ` (${names.join(', ')})`;
  const shown = target === undefined ? '' : `; to see it: ${showConflict(target, branch)}`;
  return `conflicts with what landed before: ${paths.join(', ')}${by}${shown}`;
}

type Met = Pick<Rework, 'paths' | 'with'>;

/** Main is in its worktree. Where it merged by itself there may be nothing left to mend, so the gates are asked first. */
export function mainMerged(
  state: State,
  loop: Loop,
  event: Extract<Event, { type: 'main-merged' }>,
  stamp: Stamp,
): State {
  const host = loop.host === null ? undefined : state.hosts[loop.host];
  if (host == null || loop.phase.at !== 'updating' || loop.phase.n !== event.n) return state;
  const { [loop.id]: seen, ...rest } = state.foreseen;
  const others = (seen ?? []).filter((one) => one.with !== null);
  const rework = reworkAfter(state, loop, event);
  // Nothing to mend, or it was done before main came in: an iteration that is over is not made again.
  const wasOver = event.n === loop.iteration && event.conflicts.length === 0;
  const isMended = wasOver || (rework?.kind === 'conflict' && rework.paths.length === 0);
  const merged: Loop = {
    ...loop,
    since: stamp.at,
    base: event.base,
    baseTree: event.baseTree,
    head: event.head,
    tree: event.tree,
    rework,
    phase: { at: 'gating', n: loop.iteration },
  };
  return {
    ...withLoop(state, isMended ? merged : withinBudget(merged, host.policy.limits, stamp)),
    foreseen: others.length === 0 ? rest : { ...rest, [loop.id]: others },
  };
}

/** Brought in ahead of time, main may conflict too: then there is something to mend though nobody sent it back. */
function reworkAfter(state: State, loop: Loop, event: Extract<Event, { type: 'main-merged' }>): Rework | null {
  // What an earlier merge left is still there: nobody is done before that is gone too.
  const left = loop.rework?.merged == null ? [] : loop.rework.paths;
  const paths = [...new Set([...left, ...event.conflicts])];
  const found = { paths, before: event.before, merged: event.head };
  if (loop.rework !== null) return { ...loop.rework, ...found };
  if (event.conflicts.length === 0) return null;
  const detail = describeClash(state, loop, { paths: event.conflicts, with: [] });
  return { kind: 'conflict', times: 0, by: 'owner', with: [], countedBefore: 0, detail, ...found };
}

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
    const stranded = park(loop, 'base-parked', `builds on ${base.branch}, which was parked`, stamp);
    return parkStranded(withLoop(state, stranded), stamp);
  }
  return state;
}
