import { fitsAll } from '../model/filters.ts';
import { hasMovedSince, isUsedUp } from '../loops/waiting.ts';
import { isWithdrawn } from '../loops/withdrawn.ts';
import type { TaskKey } from '../model/ids.ts';
import { taskKey } from '../model/ids.ts';
import type { Host, Loop, State } from '../model/model.ts';
import { isWorking } from '../model/model.ts';
import { findTask, inOrder, isOver, placesIn } from '../model/tasks.ts';

/** A call that takes so many times as long as calls usually do is not waited for. */
const SLOW_CALL = 2;

/** How things stand for the loops of a host's tracker that wait. */
export interface Outlook {
  readonly state: State;
  readonly newest: ReadonlyMap<TaskKey, Loop>;
  readonly places: ReadonlyMap<TaskKey, number>;
  /** By place in the list: the newest landing of all tasks before it. */
  readonly landedBefore: readonly number[];
  /** The place of the first task that is under way, or about to be; infinite: none is. */
  firstUnderWay: number;
}

export function outlookOn(state: State, tracker: string, newest: ReadonlyMap<TaskKey, Loop>, nowMs: number): Outlook {
  const places = placesIn(state, tracker);
  const landedBefore: number[] = [];
  let most = 0;
  let firstUnderWay = Number.POSITIVE_INFINITY;
  for (const [key, place] of places) {
    landedBefore.push(most);
    most = Math.max(most, state.landed[key]?.n ?? 0);
    const loop = newest.get(key);
    if (firstUnderWay > place && loop !== undefined && isUnderWay(state, loop, nowMs)) firstUnderWay = place;
  }
  return { state, newest, places, landedBefore, firstUnderWay };
}

/** It may land without anybody's help. An agent that takes far longer than others may not, or not soon. */
function isUnderWay(state: State, loop: Loop, nowMs: number): boolean {
  const { phase } = loop;
  if (phase.at === 'ready') return phase.queued && !isWithdrawn(state, loop);
  if (!isWorking(loop) || (loop.host === null && (loop.waitsFor !== null || isWithdrawn(state, loop)))) return false;
  return phase.at !== 'iterating' || state.callMs === null || nowMs - loop.since <= SLOW_CALL * state.callMs;
}

/** What a waiting loop waits for has come: all that it named has landed, or an earlier task has and no earlier one is under way. */
export function isWorthTrying({ state, newest, places, landedBefore, firstUnderWay }: Outlook, loop: Loop): boolean {
  if (loop.phase.at !== 'waiting') return false;
  if (loop.guidance.length > 0) return true;
  const lacks = loop.phase.tasks.filter((key) => findTask(state, key) !== null && !isGivenUp(state, newest.get(key)));
  if (lacks.length > 0) return lacks.every((key) => isOver(state, key));
  const place = places.get(loop.task);
  if (place === undefined) return false;
  return (landedBefore[place] ?? 0) > (loop.tried?.landings ?? 0) && firstUnderWay >= place;
}

/** A task begins: who waits for an earlier one waits for it as well. */
export function noteBegun(outlook: Outlook, key: TaskKey | undefined): void {
  const place = key === undefined ? undefined : outlook.places.get(key);
  if (place !== undefined) outlook.firstUnderWay = Math.min(outlook.firstUnderWay, place);
}

/** Parked, and nothing but a person brings it back. */
const isGivenUp = (state: State, loop: Loop | undefined): boolean =>
  loop?.phase.at === 'parked' && !hasIdled(state, loop) && !didNotFit(state, loop);

/** Parked in this run because nothing changed. */
const hasIdled = (state: State, loop: Loop): boolean =>
  loop.phase.at === 'parked' && loop.phase.reason === 'no-progress' && isOfThisRun(state, loop) && !isUsedUp(loop);

/** Parked in this run because it did not fit with what had landed. */
const didNotFit = (state: State, loop: Loop): boolean =>
  loop.phase.at === 'parked' &&
  (loop.phase.reason === 'conflict' || loop.phase.reason === 'red') &&
  isOfThisRun(state, loop) &&
  loop.isAgain !== true;

const isOfThisRun = ({ run }: State, { since }: Loop): boolean => run.isOpen && since >= run.since;

/** What it waits for is with a person: landed by hand, it may be of use in a later run. */
function waitsForPerson({ newest, places }: Outlook, loop: Loop): boolean {
  if (loop.phase.at !== 'waiting') return false;
  const isWithPerson = (key: TaskKey): boolean => {
    const other = newest.get(key);
    return other?.phase.at === 'reviewing' || (other?.phase.at === 'ready' && !other.phase.queued);
  };
  const { tasks } = loop.phase;
  if (tasks.length > 0) return tasks.some(isWithPerson);
  const place = places.get(loop.task) ?? 0;
  return [...places].some(([key, other]) => other < place && isWithPerson(key));
}

/** What a host does with those that wait when nothing else runs, lands or may start. */
export interface LastChances {
  /** Loops that begin again, and tasks that get one more loop; earliest first. */
  readonly again: readonly { readonly loop: Loop; readonly isAnew: boolean }[];
  /** Loops for which nothing comes any more. */
  readonly over: readonly Loop[];
}

/** All that integration has left behind is tried once more; what did not fit is begun anew when nobody else has a chance. */
export function lastChances({ state, newest, ...outlook }: Outlook, { policy }: Host): LastChances {
  const { choice = [], tracker } = policy;
  const loops = inOrder(state.trackers[tracker]?.tasks ?? []).flatMap((task) => {
    const loop = newest.get(taskKey(tracker, task.id));
    return loop === undefined || task.status !== 'open' || !fitsAll(choice, task) ? [] : [loop];
  });
  const left = loops.filter((loop) => loop.phase.at === 'waiting' && loop.worktreeState === 'made');
  // Its worktree is being given back: it is asked in a moment.
  if (left.length > 0) return { again: [], over: [] };
  const isBehind = (loop: Loop): boolean => hasMovedSince(state, loop);
  const idle = loops.filter((loop) => (loop.phase.at === 'waiting' || hasIdled(state, loop)) && isBehind(loop));
  if (idle.length > 0) return { again: idle.map((loop) => ({ loop, isAnew: false })), over: [] };
  // Under "stop", and where nothing goes back to work, that is for a person to look at.
  const mayMend = policy.train.onConflict !== 'stop' && policy.train.maxAttempts > 0;
  const unfit = loops.filter((loop) => mayMend && didNotFit(state, loop) && isBehind(loop));
  if (unfit.length > 0) return { again: unfit.map((loop) => ({ loop, isAnew: true })), over: [] };
  const over = loops.filter(
    (loop) => loop.phase.at === 'waiting' && !waitsForPerson({ state, newest, ...outlook }, loop),
  );
  return { again: [], over };
}
