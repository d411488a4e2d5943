import type { Event } from '../../../src/core/model/events.ts';
import type { LoopId, Sha } from '../../../src/core/model/ids.ts';
import type { Loop, State } from '../../../src/core/model/model.ts';
import { isWorking, loopsOf } from '../../../src/core/model/model.ts';
import type { Realm } from '../model/realm.ts';
import { fail } from '../model/realm.ts';
import { isListed } from './startable.ts';
import type { EventWatch } from './watch-records.ts';

/** Under `manual` no head lands that no person approved, and what went back to work since has to be approved anew. Kept from the events alone. */
export function watchReviews(realm: Realm): EventWatch {
  const granted = new Map<LoopId, Set<Sha>>();
  const grant = (loop: LoopId, head: Sha): void => void granted.set(loop, (granted.get(loop) ?? new Set()).add(head));
  return (before, event, after) => {
    if (event.type === 'task-claimed' && before.loops !== after.loops) checkBegun(realm, before, event);
    if (event.type === 'landing-requested') for (const { loop, head } of event.items) grant(loop, head);
    if (event.type === 'loop-reviewed' && event.verdict === 'approved') grant(event.loop, event.head);
    if (event.type === 'gates-ended' && landsByItself(before, event)) grant(event.loop, event.head);
    if (before.loops !== after.loops)
      for (const { id, phase } of loopsOf(before)) {
        const is = after.loops[id];
        if (phase.at === 'ready' && is !== undefined && isWorking(is)) granted.delete(id);
      }
    if (event.type === 'loop-reviewed' && event.verdict === 'changes') checkSentBack(realm, before, after, event.loop);
    if (event.type === 'integration-advanced') checkPassed(realm, before, event.commit, granted);
  };
}

/** Ready, and nothing but a person lets it go on. */
export const isUnread = ({ phase }: Loop): boolean => phase.at === 'ready' && !phase.queued;

/** Nothing begins while a person holds the run, or while as many as may be wait to be read, or will. */
function checkBegun(realm: Realm, state: State, { loop, host: id }: Extract<Event, { type: 'task-claimed' }>): void {
  if (state.pausedAt !== undefined) fail(realm, 'paused-starts-nothing', `${loop} began`);
  const policy = state.hosts[id]?.policy;
  if (policy?.maxWaiting === undefined) return;
  const newest = new Map(loopsOf(state).map((one) => [one.task, one]));
  const waits = [...newest.values()].filter(
    (one) => (isUnread(one) && isListed(state, one)) || (policy.mergePolicy === 'manual' && isWorking(one)),
  );
  if (waits.length >= policy.maxWaiting)
    fail(realm, 'reviews-are-bounded', `${loop} began beside ${waits.map((one) => one.id).join(' ')}`);
}

/** Its host was told to land what is green. */
function landsByItself(state: State, { loop: id }: Extract<Event, { type: 'gates-ended' }>): boolean {
  const host = state.loops[id]?.host ?? null;
  return host !== null && state.hosts[host]?.policy.mergePolicy === 'auto_merge';
}

/** What a person wants changed is not done and rides on no train, unless integration moves past it at this moment. */
function checkSentBack(realm: Realm, { landing }: State, after: State, id: LoopId): void {
  const loop = after.loops[id];
  if (loop?.phase.at !== 'ready' || after.landed[loop.task] !== undefined) return;
  const { stage, cars } = landing ?? { stage: null, cars: [] };
  const moving = stage?.at === 'advancing' ? cars.findIndex((car) => car.commit === stage.commit) : -1;
  const at = cars.findIndex((car) => car.loop === id);
  if (at < 0 || at > moving) fail(realm, 'sent-back-is-out', `${id} is still ready after a review`);
}

function checkPassed(
  realm: Realm,
  { landing }: State,
  commit: Sha,
  granted: ReadonlyMap<LoopId, ReadonlySet<Sha>>,
): void {
  const { stage, cars } = landing ?? { stage: null, cars: [] };
  if (stage?.at !== 'advancing' || stage.commit !== commit) return;
  for (const { loop, head } of cars.slice(0, cars.findIndex((car) => car.commit === commit) + 1))
    if (loop !== null && granted.get(loop)?.has(head) !== true)
      fail(realm, 'approved-before-it-lands', `${loop} landed with ${head}, which nobody approved`);
}
