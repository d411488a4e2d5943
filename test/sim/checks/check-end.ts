import { isDeepStrictEqual } from 'node:util';
import type { FoundLoop } from '../../../src/core/model/found-loop.ts';
import type { Sha } from '../../../src/core/model/ids.ts';
import { taskKey } from '../../../src/core/model/ids.ts';
import type { Loop, State } from '../../../src/core/model/model.ts';
import { EMPTY_STATE, isWorking, loopsOf } from '../../../src/core/model/model.ts';
import { fold, foldAll } from '../../../src/core/fold/fold.ts';
import type { Realm } from '../model/realm.ts';
import { fail, stateOf } from '../model/realm.ts';
import { isListed, landsByItself, startableTasks } from './startable.ts';

/** What must be so once nobody is left who would do anything. */
export function checkEnd(realm: Realm): void {
  checkReplay(realm);
  checkFoldAll(realm);
  checkNothingLost(realm);
  checkFound(realm);
  checkExplained(realm);
  checkPublished(realm);
}

function checkReplay(realm: Realm): void {
  const { fold } = realm.brain;
  const last = stateOf(realm);
  let whole = EMPTY_STATE;
  for (const record of realm.log) whole = fold(whole, record);
  if (!isDeepStrictEqual(whole, last)) fail(realm, 'replay', 'the log from its beginning folds to another state');
  const middle = realm.random.int(realm.states.length);
  let half = JSON.parse(JSON.stringify(realm.states[middle])) as State;
  for (const record of realm.log.slice(middle)) half = fold(half, record);
  if (!isDeepStrictEqual(half, last)) fail(realm, 'replay', `from a snapshot at ${middle} it folds to another state`);
}

/** A whole log is folded in one go, and what it starts from may be anybody's: nothing of it is written into. */
function checkFoldAll(realm: Realm): void {
  let slow = EMPTY_STATE;
  const middle = realm.random.int(realm.log.length);
  let start = EMPTY_STATE;
  for (const [index, record] of realm.log.entries()) {
    if (index === middle) start = slow;
    slow = fold(slow, record);
  }
  const kept = JSON.stringify(start);
  if (!isDeepStrictEqual(foldAll(EMPTY_STATE, realm.log), slow))
    fail(realm, 'replay', 'the whole log at once folds to another state');
  const fast = foldAll(start, realm.log.slice(middle));
  if (!isDeepStrictEqual(fast, slow)) fail(realm, 'replay', `all after ${middle} at once folds to another state`);
  if (JSON.stringify(start) !== kept) fail(realm, 'replay', `folding all after ${middle} changed where it started`);
}

function checkNothingLost(realm: Realm): void {
  const { git, integration } = realm;
  const named = [
    ...realm.branches.values(),
    ...realm.keeps,
    realm.target,
    ...(integration === null ? [] : [integration]),
  ];
  const heads = new Set<Sha>();
  for (const record of realm.log)
    for (const event of record.events)
      if (event.type === 'iteration-ended' || event.type === 'worktree-made') heads.add(event.head);
  for (const head of heads)
    if (!named.some((name) => git.isAncestor(head, name)))
      fail(realm, 'nothing-is-lost', `${head} is reachable from nowhere`);
  for (const commit of realm.userCommits)
    if (!git.isAncestor(commit, realm.target)) fail(realm, 'user-commits-stay', `${commit} is not on the target`);
  for (const { loop, commit } of Object.values(stateOf(realm).landed))
    if (integration === null || !git.isAncestor(commit, integration))
      fail(realm, 'landed-stays', `${loop} landed as ${commit}, which is not in integration`);
  const landings = integration === null ? [] : git.landingsOf(integration).map(({ loop }) => loop);
  if (new Set(landings).size !== landings.length) fail(realm, 'lands-once', `landings: ${landings.join(' ')}`);
}

/** Work of an earlier life is known again, or was done by somebody else meanwhile. */
function checkFound(realm: Realm): void {
  const state = stateOf(realm);
  for (const { loop, task } of realm.notes.values()) {
    const isKnown = state.loops[loop] != null || loopsOf(state).some((other) => other.task === task);
    if (!isKnown && state.landed[task] == null) fail(realm, 'nothing-is-left-lying', `nobody knows of ${loop}`);
  }
  for (const [index, { events }] of realm.log.entries())
    for (const event of events)
      if (event.type === 'loops-found')
        for (const found of event.loops)
          if (!isTakenUp(found, realm.states[index], realm.states[index + 1]))
            fail(realm, 'nothing-is-left-lying', `${found.loop} was found, and nobody takes it up`);
}

/** Known from then on, unless its task had landed or somebody else's loop was there before. */
function isTakenUp({ loop, task }: FoundLoop, before = EMPTY_STATE, after = EMPTY_STATE): boolean {
  if (after.loops[loop] != null || after.landed[task] != null) return true;
  return loopsOf(before).some((other) => other.task === task);
}

/** Every task of the file came to an end, or its waiting has a reason that a person can see. */
function checkExplained(realm: Realm): void {
  const state = stateOf(realm);
  const { policy } = realm.scenario;
  const stuck = (what: string): void => fail(realm, 'all-is-explained', what);
  if (state.landing !== null) stuck(`a landing is under way and nobody is there`);
  const known = state.trackers[policy.tracker]?.tasks ?? [];
  // The last publish ticks what landed; the next host reads that.
  const ticked = (tasks: typeof known): typeof known =>
    tasks.map((task) => (state.landed[taskKey(policy.tracker, task.id)] ? { ...task, status: 'done' } : task));
  if (!isDeepStrictEqual(ticked(known), ticked(realm.tracker.tasks))) stuck('the log holds other tasks than the file');
  for (const loop of loopsOf(state)) {
    const isLeft = loop.host === null && (isMainRed(realm) || !isListed(state, loop));
    if (isWorking(loop) && !isLeft) stuck(`${loop.id} is still ${loop.phase.at}`);
    if (landsByItself(state, loop) && !isHeldBack(state, loop)) stuck(`${loop.id} is queued and could land`);
  }
  if (isMainRed(realm)) return;
  for (const task of startableTasks(state, policy)) stuck(`${task.id} could start`);
}

/** Loops wait for main as long as it fails in truth; gates that lie may have said so more than once. */
function isMainRed({ git, integration, target, scenario, states }: Realm): boolean {
  if (scenario.policy.base !== 'hold' || states.at(-1)?.bases[scenario.policy.gatesHash]?.red == null) return false;
  return scenario.flakes > 0 || !git.get(integration ?? target).tree.isGreen;
}

/** Landing waits for a person, or for what this loop was started from and is not on its way itself. */
const isHeldBack = (state: State, loop: Loop): boolean =>
  state.landingTrouble !== null || [...belowOf(state, loop)].some((below) => !landsByItself(state, below));

function belowOf(state: State, loop: Loop, found = new Set<Loop>()): ReadonlySet<Loop> {
  for (const id of loop.onto) {
    const below = state.loops[id];
    if (below === undefined || below.phase.at === 'landed' || found.has(below)) continue;
    found.add(below);
    belowOf(state, below, found);
  }
  return found;
}

function checkPublished(realm: Realm): void {
  const state = stateOf(realm);
  const { git, integration, target, scenario } = realm;
  if (scenario.policy.publish === 'manual' || state.landingTrouble !== null || Object.keys(state.landed).length === 0)
    return;
  if (integration !== null && !git.isAncestor(integration, target))
    fail(realm, 'published-in-the-end', `the target is at ${target}, integration at ${integration}`);
}
