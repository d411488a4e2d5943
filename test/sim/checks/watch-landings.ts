import type { Event } from '../../../src/core/model/events.ts';
import type { LoopId } from '../../../src/core/model/ids.ts';
import type { Landing, Loop, State } from '../../../src/core/model/model.ts';
import { isWorking, loopsOf } from '../../../src/core/model/model.ts';
import type { Realm } from '../model/realm.ts';
import { fail } from '../model/realm.ts';
import { isQueued } from './startable.ts';
import type { EventWatch } from './watch-records.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

const GATE_SLOTS_MAX = 16;

/** Checks trains, what is sent back and what a person does to the queue, against what is really so. */
export function watchLandings(realm: Realm): EventWatch {
  /** What was known when each build was first wished for: later facts it need not know. */
  const wished = new Map<string, State>();
  const resumed = new Map<LoopId, number>();
  return (before, event, after) => {
    if (after.landing?.stage.at === 'building') {
      const key = buildKey(after.landing);
      if (!wished.has(key)) wished.set(key, after);
    }
    if (after.landing !== before.landing) checkRuns(realm, after);
    if (after.integration !== before.integration) checkValue(realm, after);
    if (event.type === 'integration-put-back') checkKept(realm, event);
    if (event.type === 'train-built' && isBuilt(before, event, after))
      checkStacks(realm, wished.get(buildKey(event)) ?? before, event);
    if (event.type === 'queue-paused' || event.type === 'landing-started') checkPaused(realm, after, event);
    if (event.type === 'loop-ejected') checkEjected(realm, before, after, event.loop);
    if (event.type === 'loop-sent-back') checkMenders(realm, before, after, event.loop);
    if (after.landingTrouble?.kind === 'main-red' && before.landingTrouble === null)
      checkMainRed(realm, ridingAt(before, event));
    if (event.type === 'loop-resumed' || event.type === 'loop-reviewed')
      resumed.set(event.loop, (resumed.get(event.loop) ?? 0) + 1);
    if (before.loops === after.loops) return;
    for (const loop of loopsOf(after)) {
      if (before.loops[loop.id] === loop) continue;
      // A person may send back what nobody else may send back any more.
      checkTimes(realm, loop, realm.scenario.policy.train.maxAttempts + (resumed.get(loop.id) ?? 0));
      checkLoop(realm, before, event, loop);
    }
  };
}

/** The log takes integration to be only where the gates passed it, or where the user's own commits are. */
function checkValue(realm: Realm, { integration }: State): void {
  const { git, passed, target } = realm;
  if (integration === null || git.isAncestor(integration, target) || passed.has(git.get(integration).tree.id)) return;
  fail(realm, 'the-log-decides', `integration is believed to be at ${integration}`);
}

function checkKept(realm: Realm, { found, kept }: Of<'integration-put-back'>): void {
  const { keeps, git, target } = realm;
  if (found === null || kept === null || keeps.has(found) || git.isAncestor(found, target)) return;
  fail(realm, 'nothing-is-lost', `${found} was put aside and is not kept`);
}

const buildKey = ({ fence, build }: Pick<Landing, 'fence' | 'build'>): string => `${fence}:${build}`;

const isBuilt = (before: State, { fence, build }: Of<'train-built'>, after: State): boolean =>
  before.landing?.fence === fence && before.landing.build === build && after.landing?.stage.at !== 'building';

function checkRuns(realm: Realm, { landing }: State): void {
  const slots = (landing?.runs ?? []).map((run) => run.slot);
  if (new Set(slots).size !== slots.length || slots.some((slot) => slot < 1 || slot > GATE_SLOTS_MAX))
    fail(realm, 'one-gate-a-slot', `gates run in slots ${slots.join(' ')}`);
}

/** A branch that holds the ready work of another loop does not ride before that one. */
function checkStacks(realm: Realm, known: State, event: Of<'train-built'>): void {
  const { git } = realm;
  event.cars.forEach((car, at) => {
    for (const other of loopsOf(known)) {
      if (other.phase.at !== 'ready' || other.head === null || other.id === car.loop || other.head === car.head)
        continue;
      if (other.head === other.base || !git.isAncestor(other.head, car.head)) continue;
      if (git.isAncestor(other.head, event.base) || car.loop === null) continue;
      if (event.contained.some(({ loop }) => loop === other.id) || dependsOn(known, other, car.loop)) continue;
      if (!event.cars.slice(0, at).some((one) => one.loop === other.id))
        fail(realm, 'stacks-land-in-order', `${car.loop} holds ${other.id} and rides without it`);
    }
  });
}

function dependsOn(state: State, loop: Loop, id: LoopId, seen = new Set<LoopId>()): boolean {
  if (seen.has(loop.id)) return false;
  seen.add(loop.id);
  return loop.onto.some((one) => {
    const below = state.loops[one];
    return one === id || (below !== undefined && dependsOn(state, below, id, seen));
  });
}

function checkPaused(realm: Realm, after: State, { type }: Of<'queue-paused' | 'landing-started'>): void {
  if (after.queuePaused && after.landing !== null && after.landing.stage.at !== 'advancing')
    fail(realm, 'a-held-queue-rests', `${type}: the train is ${after.landing.stage.at}`);
}

/** What a person takes out is out, unless integration moves past it at this moment. */
function checkEjected(realm: Realm, before: State, after: State, id: LoopId): void {
  const [was, is] = [before.loops[id], after.loops[id]];
  if (was === undefined || is === undefined || !isQueued(was) || !isQueued(is)) return;
  const stage = before.landing?.stage;
  const cars = before.landing?.cars ?? [];
  const moving = stage?.at === 'advancing' ? cars.findIndex((car) => car.commit === stage.commit) : -1;
  const at = cars.findIndex((car) => car.loop === id);
  if (at < 0 || at > moving) fail(realm, 'ejected-is-out', `${id} stays in the queue`);
}

/** Of those that conflict in the same file one is mended at a time. */
function checkMenders(realm: Realm, before: State, after: State, id: LoopId): void {
  const rework = after.loops[id]?.rework;
  if (before.loops[id] === after.loops[id] || rework == null || after.loops[id]?.phase.at !== 'updating') return;
  for (const other of loopsOf(before)) {
    if (!isWorking(other) || other.rework?.kind !== 'conflict') continue;
    const both = other.rework.paths.filter((path) => rework.paths.includes(path));
    if (both.length > 0) fail(realm, 'one-mends-a-file', `${id} and ${other.id} mend ${both.join(' ')}`);
  }
}

function checkTimes(realm: Realm, { id, rework }: Loop, timesMax: number): void {
  if (rework?.kind !== 'review' && (rework?.times ?? 0) > timesMax)
    fail(realm, 'mending-ends', `${id} was sent back ${rework?.times} times of ${timesMax}`);
}

function checkLoop(realm: Realm, before: State, event: Event, loop: Loop): void {
  const was = before.loops[loop.id];
  if (was === undefined || !isQueued(was)) return;
  const { phase, rework } = loop;
  const isParkedRed = phase.at === 'parked' && phase.reason === 'red';
  if (isParkedRed || (phase.at === 'updating' && rework?.kind === 'red'))
    checkBlame(realm, ridingAt(before, event), loop.id);
}

type Riding = Pick<Landing, 'base' | 'cars'>;

/** The train as the event leaves it: what is blamed at once is blamed on what has just landed or been built. */
function ridingAt({ landing }: State, event: Event): Riding | null {
  if (event.type === 'train-built') return event;
  if (landing === null || event.type !== 'integration-advanced') return landing;
  const past = landing.cars.findIndex((car) => car.commit === event.commit) + 1;
  return { base: event.commit, cars: landing.cars.slice(past) };
}

/** Nobody innocent is blamed, where the gates tell the truth. */
function checkBlame(realm: Realm, riding: Riding | null, id: LoopId): void {
  const { git, scenario } = realm;
  const [first] = riding?.cars ?? [];
  if (first?.loop !== id || riding?.base == null) return fail(realm, 'only-the-guilty', `${id} did not ride first`);
  if (scenario.flakes > 0) return;
  if (git.get(first.commit).tree.isGreen || !git.get(riding.base).tree.isGreen)
    fail(realm, 'only-the-guilty', `${id} was blamed for what it did not do`);
}

function checkMainRed(realm: Realm, riding: Riding | null): void {
  if (riding?.base == null || realm.scenario.flakes > 0) return;
  if (realm.git.get(riding.base).tree.isGreen) fail(realm, 'only-the-guilty', 'main was blamed and is green');
}
