import type { Stamp } from '../model/events.ts';
import type { Sha, TaskId, TaskKey } from '../model/ids.ts';
import { taskKey } from '../model/ids.ts';
import type { Loop, State, Tried } from '../model/model.ts';
import { STANDS_MAX } from '../model/model.ts';
import { findTask, isOver, isPromptTask, placesIn, taskIdOf, trackerOf } from '../model/tasks.ts';
import { withItem } from './draft.ts';

/** Calls without a change that a task gets, last chances included; one that has named what it lacks is understood sooner. */
const IDLE_CALLS_MAX = 8;
const IDLE_CALLS_MAX_NAMED = 6;
/** How much of the mean the newest call is. */
const CALL_WEIGHT = 0.2;

/** Integration is somewhere: what a loop was tried on is told by that. */
export function stood(state: State): State {
  const { integration: commit, landings, stands } = state;
  const last = stands.at(-1);
  if (commit === null || (last?.commit === commit && last.landings === landings)) return state;
  return { ...state, stands: withItem(stands, { commit, landings }, STANDS_MAX) };
}

/** How many landings a base holds. One that the log has not met yet holds all it knows. */
export function triedOn({ stands, landings }: State, base: Sha | null): Tried {
  return stands.findLast(({ commit }) => commit === base) ?? { commit: base, landings };
}

/** What a loop was tried on. With unlanded branches below it, its base is none that integration ever stood at. */
export function triedBy(state: State, { base, onto }: Loop): Tried {
  const tried = triedOn(state, base);
  return onto.length === 0 || state.stands.some(({ commit }) => commit === base)
    ? tried
    : { ...tried, commit: state.integration };
}

/** Something landed, or the user moved integration, since the loop was tried. */
export const hasMovedSince = ({ integration }: State, { tried }: Loop): boolean =>
  tried !== undefined && integration !== null && tried.commit !== integration;

/** Its base is one that integration has left behind. */
export const isBehind = ({ stands, integration }: State, { base }: Loop): boolean =>
  base !== null && base !== integration && stands.some(({ commit }) => commit === base);

/** Asked again, it has to see the newest: where it got what an earlier try left behind, that comes in first. */
export function onNewest(state: State, loop: Loop): Loop {
  if (loop.phase.at !== 'iterating' || loop.tried === undefined || loop.rework !== null) return loop;
  if (loop.tree !== loop.baseTree || !isBehind(state, loop)) return loop;
  return { ...loop, phase: { at: 'updating', n: loop.phase.n, onlyClean: true } };
}

export const sawCall = (callMs: number | null, durationMs: number): number =>
  callMs === null ? durationMs : callMs + (durationMs - callMs) * CALL_WEIGHT;

/** Tasks of a list in worktrees of their own can wait for others; what has work of its own goes on with that. */
export const canWait = ({ task, place, rework, guidance }: Loop): boolean =>
  !isPromptTask(task) && place.at === 'worktree' && rework === null && guidance.length === 0;

export const isUsedUp = ({ idleCalls = 0, hasNamed }: Loop): boolean =>
  idleCalls >= (hasNamed === true ? IDLE_CALLS_MAX_NAMED : IDLE_CALLS_MAX);

/** What it says to lack, as far as that is a task which may still land, and has not done so in what it was tried on. */
export function lackedBy(state: State, loop: Loop, said: readonly TaskId[]): readonly TaskKey[] {
  const tracker = trackerOf(state, loop.task);
  const known = loop.tried?.landings ?? 0;
  return [...new Set(said.map((id) => taskKey(tracker, id)))].filter((key) => {
    const task = findTask(state, key);
    const landed = state.landed[key];
    if (task === null || key === loop.task) return false;
    return landed === undefined ? task.status !== 'done' : (landed.n ?? 0) > known;
  });
}

/** Some task before it in the list has not landed, or not in what it was tried on. */
export function hasEarlierOpen(state: State, { task, tried }: Loop): boolean {
  const tracker = trackerOf(state, task);
  const places = placesIn(state, tracker);
  const place = places.get(task);
  if (place === undefined) return false;
  const known = tried?.landings ?? 0;
  const isNews = (key: TaskKey): boolean => (state.landed[key]?.n ?? 0) > known;
  return [...places].some(([key, other]) => other < place && (isNews(key) || !isOver(state, key)));
}

/** For which tasks, in words. */
export const describeLack = (state: State, tasks: readonly TaskKey[]): string =>
  tasks.length === 0 ? 'an earlier task to land' : `${tasks.map((key) => taskIdOf(state, key)).join(', ')} to land`;

/** Begins again: in the worktree that still holds something, or in a new one on the newest integration. */
export function tryAgain(state: State, loop: Loop, stamp: Stamp): Loop {
  const free = { since: stamp.at, waitsFor: null, hostDied: false, idleStreak: 0, failureStreak: 0 };
  if (loop.worktree !== null && loop.worktreeState !== 'retired')
    return { ...loop, ...free, worktreeState: 'made', phase: { at: 'updating', n: loop.iteration + 1 } };
  const { begun: _begun, ...rest } = loop;
  const begun = state.integration === null ? {} : { begun: state.integration };
  const nothing = {
    worktree: null,
    worktreeState: 'none',
    base: null,
    baseTree: null,
    head: null,
    tree: null,
  } as const;
  return { ...rest, ...free, ...begun, ...nothing, phase: { at: 'preparing' } };
}
