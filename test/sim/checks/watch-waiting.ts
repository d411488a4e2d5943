import type { Event, Stamp } from '../../../src/core/model/events.ts';
import type { LoopId, Sha, TaskKey } from '../../../src/core/model/ids.ts';
import { taskKey } from '../../../src/core/model/ids.ts';
import type { Loop, State } from '../../../src/core/model/model.ts';
import { isWorking, loopsOf } from '../../../src/core/model/model.ts';
import type { Realm } from '../model/realm.ts';
import { fail, TRACKER } from '../model/realm.ts';
import { isTaken } from './books.ts';
import { isListed } from './startable.ts';
import type { EventWatch } from './watch-records.ts';

const CALLS_MAX = 8;

/** What is known of a loop's calls, from the events alone. */
interface Tries {
  readonly idle: number;
  readonly base: Sha | null;
  /** Integration when it began again; null: it never did. */
  readonly from: Sha | null;
}

const NONE: Tries = { idle: 0, base: null, from: null };

/** Checks that who waits is asked again in time, on the newest, and not too often; told without the scheduler. */
export function watchWaiting(realm: Realm): EventWatch {
  const books = new Map<LoopId, Tries>();
  const note = (id: LoopId, more: Partial<Tries>): void => void books.set(id, { ...(books.get(id) ?? NONE), ...more });
  return (before, event, after, stamp) => {
    switch (event.type) {
      case 'worktree-made':
      case 'main-merged':
        if (before.loops[event.loop] === after.loops[event.loop]) return;
        note(event.loop, { base: event.base });
        return checkNewest(realm, after, event, books.get(event.loop) ?? NONE);
      case 'loop-adopted':
        if (!hasBegunAgain(before, after, event.loop)) return;
        note(event.loop, { from: before.integration });
        return checkSettled(realm, before, event.loop, stamp);
      case 'task-claimed':
        if (before.loops === after.loops) return;
        return checkClaim(realm, before, event);
      case 'loop-waited':
        return checkOver(realm, before, event.loop, books.get(event.loop)?.base ?? null);
      case 'iteration-ended': {
        if (!isTaken(before, event) || !isIdle(before, event)) return;
        const idle = (books.get(event.loop)?.idle ?? 0) + 1;
        note(event.loop, { idle });
        if (idle > CALLS_MAX && after.loops[event.loop]?.phase.at === 'waiting')
          fail(realm, 'calls-within-caps', `${event.loop} has changed nothing ${idle} times and waits on`);
        return checkCost(realm, before, after, event.loop);
      }
      default:
    }
  };
}

const isIdle = (before: State, event: Extract<Event, { type: 'iteration-ended' }>): boolean =>
  (event.outcome === 'worked' || event.outcome === 'claimed') && event.tree === before.loops[event.loop]?.baseTree;

const hasBegunAgain = (before: State, after: State, id: LoopId): boolean =>
  before.loops[id]?.phase.at === 'waiting' && after.loops[id]?.phase.at !== 'waiting';

/** A new try begins from all that had landed when it was given. */
function checkNewest(
  realm: Realm,
  after: State,
  { loop: id, base }: { loop: LoopId; base: Sha },
  { from }: Tries,
): void {
  const loop = after.loops[id];
  if (from === null || loop?.phase.at !== 'iterating' || after.putBacks.length > 0 || loop.base === null) return;
  if (!realm.git.isAncestor(from, loop.base))
    fail(realm, 'tries-begin-from-the-newest', `${id} began again from ${base}, not ${from}`);
}

const placeOf = (state: State, key: TaskKey): number =>
  (state.trackers[TRACKER]?.tasks ?? []).findIndex(({ id }) => taskKey(TRACKER, id) === key);

/** Gated, queued or mended, an earlier task lands soon: who waits for any earlier one lets it. */
function checkSettled(realm: Realm, before: State, id: LoopId, { by, seq }: Stamp): void {
  const loop = before.loops[id];
  if (loop?.phase.at !== 'waiting' || loop.phase.tasks.length > 0 || loop.guidance.length > 0) return;
  const place = placeOf(before, loop.task);
  const ahead = loopsOf(before).find(
    (other) =>
      placeOf(before, other.task) >= 0 &&
      placeOf(before, other.task) < place &&
      other.host !== null &&
      // Last chances are given together.
      other.fence !== seq &&
      before.hosts[other.host]?.state === 'up' &&
      (other.phase.at === 'gating' || other.phase.at === 'updating'),
  );
  if (ahead !== undefined)
    fail(realm, 'earlier-ones-settle-first', `${by} began ${id} again while ${ahead.id} is on its way`);
}

/** Tasks begin in order, those that wait and have what they wait for among them; once more only for what did not fit. */
function checkClaim(realm: Realm, before: State, event: Extract<Event, { type: 'task-claimed' }>): void {
  const host = before.hosts[event.host];
  if (event.again === true) {
    const last = loopsOf(before).findLast(({ task }) => task === event.task);
    const isUnfit = last?.phase.at === 'parked' && (last.phase.reason === 'conflict' || last.phase.reason === 'red');
    if (!isUnfit || last.isAgain === true)
      fail(realm, 'once-more-for-what-did-not-fit', `${event.task} got another loop`);
    const atWork = loopsOf(before).find((loop) => loop.host === event.host && isWorking(loop) && loop.isAgain !== true);
    if (atWork !== undefined) fail(realm, 'last-chances-come-last', `${event.task} began anew beside ${atWork.id}`);
    return;
  }
  const tasks = before.trackers[TRACKER]?.tasks ?? [];
  const rank = (key: TaskKey): number => {
    const task = tasks.find(({ id }) => taskKey(TRACKER, id) === key);
    return (task?.priority ?? 1000) * 1000 + placeOf(before, key);
  };
  const passed = loopsOf(before).find(
    (loop) =>
      isReadyToTry(before, loop) && groupless(loop, host?.policy.strategy) && rank(loop.task) < rank(event.task),
  );
  if (passed !== undefined)
    fail(realm, 'tasks-begin-in-order', `${event.task} began before ${passed.id}, whose turn it was`);
}

const groupless = ({ group }: Loop, strategy: string | undefined): boolean => group === null && strategy === 'queue';

/** Named what it lacks, all of that has landed, and its worktree is given back. */
function isReadyToTry(state: State, loop: Loop): boolean {
  if (loop.phase.at !== 'waiting' || loop.worktreeState === 'made' || !isListed(state, loop)) return false;
  const task = state.trackers[TRACKER]?.tasks.find(({ id }) => taskKey(TRACKER, id) === loop.task);
  const { tasks } = loop.phase;
  return task?.status === 'open' && tasks.length > 0 && tasks.every((key) => state.landed[key] !== undefined);
}

/** Nothing comes any more: it was tried on what is there, and nothing that could land is on its way. */
function checkOver(realm: Realm, before: State, id: LoopId, base: Sha | null): void {
  const loop = before.loops[id];
  if (loop?.phase.at !== 'waiting') return;
  // Begun from unlanded branches, it stands on no value of integration.
  if (before.integration !== null && base !== before.integration && loop.onto.length === 0)
    fail(realm, 'no-chance-is-left', `${id} is given up, and was tried on ${base}, not on ${before.integration}`);
  const atWork = loopsOf(before).find(
    (other) => other.host !== null && isWorking(other) && before.hosts[other.host]?.state === 'up',
  );
  if (atWork !== undefined || before.landing !== null)
    fail(realm, 'no-chance-is-left', `${id} is given up while ${atWork?.id ?? 'a train'} is on its way`);
}

/** To wait costs no attempt, no iteration and no patience, and holds no slot. */
function checkCost(realm: Realm, before: State, after: State, id: LoopId): void {
  const [was, is] = [before.loops[id], after.loops[id]];
  if (was === undefined || is?.phase.at !== 'waiting') return;
  if (is.host !== null) fail(realm, 'waiting-costs-nothing', `${id} waits and is held`);
  if (is.counted !== was.counted || is.idleStreak !== was.idleStreak || before.attempts !== after.attempts)
    fail(realm, 'waiting-costs-nothing', `${id} paid for having to wait`);
}

/** Nobody is left: who waits does so for a person, or for what keeps everything from landing. */
export function checkNobodyWaits(realm: Realm, state: State): void {
  const { base, gatesHash } = realm.scenario.policy;
  const isHeld = base === 'hold' && state.bases[gatesHash]?.red != null;
  if (isHeld || state.landingTrouble !== null || state.suspect !== null) return;
  const isWithPerson = loopsOf(state).some(({ phase }) => phase.at === 'ready');
  for (const loop of loopsOf(state)) {
    const task = state.trackers[TRACKER]?.tasks.find(({ id }) => taskKey(TRACKER, id) === loop.task);
    if (loop.phase.at === 'waiting' && task?.status === 'open' && !isWithPerson)
      fail(realm, 'no-chance-is-left', `${loop.id} still waits, and nobody will come`);
  }
}
