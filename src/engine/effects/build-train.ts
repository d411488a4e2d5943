import { invariant } from '../../core/model/assert.ts';
import type { Command } from '../../core/model/commands.ts';
import { AppError } from '../../core/model/errors.ts';
import type { Event } from '../../core/model/events.ts';
import type { LoopId, Sha } from '../../core/model/ids.ts';
import { knownOf } from '../../core/loops/integration-value.ts';
import type { Car, Loop } from '../../core/model/model.ts';
import { loopsOf } from '../../core/model/model.ts';
import { buildsOn } from '../../core/loops/landing-queue.ts';
import { landedSince } from '../../core/loops/rework.ts';
import type { LandingMethod } from '../../core/model/settings.ts';
import { sharesBranch } from '../../core/loops/take-over.ts';
import { tickOf } from '../../core/model/tasks.ts';
import { upstreamMessage } from '../../text/commit-message.ts';
import type { TrainClash } from '../../core/model/landing.ts';
import type { Built, Synced } from '../../world/contract/world.ts';
import { lostClaims } from './claim-task.ts';
import type { PerformContext } from './perform-context.ts';
import { isOutOfRoom } from '../trouble/disk-pressure.ts';
import { wantOf } from '../trouble/want.ts';
import { findDuplicates, isOnce } from './find-duplicates.ts';
import type { Done } from './find-duplicates.ts';
import { isGits } from './flawed-head.ts';
import { landingText } from './landing-text.ts';
import { findUnresolved } from './unresolved.ts';

type BuildTrain = Extract<Command, { type: 'build-train' }>;
type TrainBuilt = Extract<Event, { type: 'train-built' }>;

/** A train while its cars are merged one on top of the other. */
interface Building {
  readonly base: Sha;
  readonly cars: Car[];
  readonly clashes: TrainClash[];
  readonly contained: { loop: LoopId; commit: Sha }[];
  readonly implied: { loop: LoopId; onto: readonly LoopId[] }[];
  readonly broken: { loop: LoopId; why: string }[];
  readonly flawed: { loop: LoopId; why: string }[];
  readonly duplicates: NonNullable<TrainBuilt['duplicates']>[number][];
}

/** Merges in memory what shall land next: the user's own new commits if there are any, then the queue, as far as it merges. */
export async function buildTrain(context: PerformContext, command: BuildTrain): Promise<readonly Event[]> {
  const { integration } = context.world;
  const { fence, build } = command;
  const lost = await lostClaims(context, command.items);
  if (lost.length > 0) return lost;
  const [synced] = await Promise.all([integration.sync(knownOf(context.state())), askElsewhere(context, command)]);
  const { head: base } = synced;
  const empty = { cars: [], clashes: [], contained: [], implied: [], broken: [], flawed: [], duplicates: [] };
  const train: Building = { base, ...empty };
  const conflicts = await startTrain(context, command, train, synced);
  if (conflicts !== null)
    return [{ type: 'upstream-conflicted', fence, head: synced.upstream ?? base, paths: conflicts }];
  const before = train.cars.length;
  await lookAtAll(context, command, train);
  const duplicates = await doneElsewhere(context, command, train);
  for (const id of command.items) await boardWhole(context, train, id, duplicates.get(id) ?? null);
  await cutBadCars(context, train, before);
  const held = commitsToHold(train.cars, context.policy.method);
  if (held.length > 0) await integration.holdTrain(fence, held);
  const baseTree = await integration.treeOf(base);
  const users = synced.isUsers ? { users: true as const } : {};
  const built: TrainBuilt = { type: 'train-built', fence, build, baseTree, ...train, ...users };
  return [built];
}

/** The last car holds all before it. A merge holds what was merged; otherwise the heads are in nobody's history yet. */
export function commitsToHold(cars: readonly Car[], method: LandingMethod): readonly Sha[] {
  const last = cars.at(-1);
  if (last === undefined) return [];
  return [last.commit, ...(method === 'merge' ? [] : cars.map((car) => car.head))];
}

/** Everything there is to know about the branches, asked at once. What cannot be asked so is asked one by one. */
async function lookAtAll({ world, state }: PerformContext, { items }: BuildTrain, { base }: Building): Promise<void> {
  const heads = items.flatMap((id) => state().loops[id]?.head ?? []);
  await world.integration.look(base, heads).catch(() => undefined);
}

/** A task may have been done and pushed elsewhere meanwhile. Where the target follows no remote branch, nobody is asked. */
async function askElsewhere(context: PerformContext, { items }: BuildTrain): Promise<void> {
  const { ask, upstream } = context.world.tracker;
  const isAnyOnce = items.some((id) => isOnce(context, loopCalled(context, id)));
  if (isAnyOnce && ask !== undefined && (await upstream?.()) != null) await ask();
}

/** Tasks of the queue that others have done. Where only we moved integration, the log knows what is ticked on it. */
async function doneElsewhere(
  context: PerformContext,
  { items }: BuildTrain,
  { base, cars }: Building,
): Promise<ReadonlyMap<LoopId, Done>> {
  const state = context.state();
  const merged = cars.find((car) => car.loop === null)?.commit ?? null;
  const isAlone = base === state.integration && state.isTargetMoved !== true;
  const waiting = items.filter((id) => cars.every((car) => car.loop !== id));
  return findDuplicates(context, waiting, { to: merged ?? (isAlone ? null : base), known: null });
}

/** Both questions at once: they only read. Where an object is missing, the first one may have no answer. */
async function cutBadCars(context: PerformContext, train: Building, before: number): Promise<void> {
  const { integration } = context.world;
  const [strays, whole] = await Promise.allSettled([integration.checkEnvelopes(), areWhole(context, train, before)]);
  if (whole.status === 'rejected') throw whole.reason;
  if (!whole.value && (await cutAtFlaw(context, train, before))) return;
  if (strays.status === 'rejected') throw strays.reason;
  cutAtStrays(train, strays.value);
}

/** All new cars at once, for they hold each other: two processes instead of two for each. */
async function areWhole({ world }: PerformContext, train: Building, before: number): Promise<boolean> {
  const last = train.cars.slice(before).at(-1);
  return last === undefined || (await world.integration.findFlaw([last.commit], knownBy(train, before))) === null;
}

const knownBy = ({ base, cars }: Building, before: number): Sha[] => [
  base,
  ...cars.slice(0, before).map((car) => car.commit),
];

/** A car with an object that is missing or not allowed goes back with the reason; the other new ones are built anew without it. */
async function cutAtFlaw({ world }: PerformContext, train: Building, before: number): Promise<boolean> {
  const known = knownBy(train, before);
  for (const { loop, commit } of train.cars.slice(before)) {
    const why = await world.integration.findFlaw([commit], known);
    if (why !== null) {
      train.cars.splice(before);
      if (loop !== null) train.flawed.push({ loop, why });
      return true;
    }
    known.push(commit);
  }
  return false;
}

/** A car that would change what its branch did not touch is put aside, and so is all that was built on it. */
function cutAtStrays(train: Building, strays: readonly { readonly commit: Sha; readonly why: string }[]): void {
  const at = train.cars.findIndex((car) => strays.some((stray) => stray.commit === car.commit));
  const [first] = at < 0 ? [] : train.cars.splice(at);
  const why = strays.find((stray) => stray.commit === first?.commit)?.why;
  if (first?.loop != null && why !== undefined) train.broken.push({ loop: first.loop, why });
}

/** Cars built before stay if they stand where integration is; the user's own commits always come first. The paths that do not merge, or null. */
async function startTrain(
  context: PerformContext,
  { keep }: BuildTrain,
  train: Building,
  { upstream, since = null }: Synced,
): Promise<readonly string[] | null> {
  const isSameBase = context.state().landing?.base === train.base;
  const held = keep.find((car) => car.loop === null)?.head ?? null;
  if (isSameBase && held === upstream) {
    train.cars.push(...keep);
    return null;
  }
  if (upstream === null) return null;
  const { integration } = context.world;
  const { base } = train;
  const message = upstreamMessage(integration.target);
  const made = await integration.build({
    base,
    head: upstream,
    since,
    under: base,
    message,
    method: 'merge',
    tick: null,
    ticksLanded: true,
  });
  if ('conflicts' in made) return made.conflicts;
  train.cars.push({ loop: null, head: upstream, commit: made.commit, tree: made.tree });
  return null;
}

/** One whose commits cannot be read goes back with the reason, and keeps nobody else from landing. */
async function boardWhole(context: PerformContext, train: Building, id: LoopId, duplicate: Done | null): Promise<void> {
  try {
    await board(context, train, id, duplicate);
  } catch (error) {
    const why = await flawIn(context, train, loopCalled(context, id), error);
    if (why === null) throw error;
    train.flawed.push({ loop: id, why });
  }
}

const flawIn = ({ world }: PerformContext, { base }: Building, { head }: Riding, error: unknown) =>
  isGits(error) ? world.integration.findFlaw([head], [base]) : Promise.resolve(null);

async function board(context: PerformContext, train: Building, id: LoopId, duplicate: Done | null): Promise<void> {
  if (train.cars.some((car) => car.loop === id)) return;
  const loop = loopCalled(context, id);
  const landed = await landedBefore(context, loop, train.base);
  if (landed !== null) {
    train.contained.push({ loop: id, commit: landed });
    return;
  }
  if (duplicate !== null) {
    const kept = await context.world.integration.pin(id, loop.head);
    train.duplicates.push({ loop: id, ...duplicate, kept });
    return;
  }
  if (!(await mayBoard(context, train, loop))) return;
  const marked = await unresolved(context, loop);
  if (marked !== null) {
    train.clashes.push({ loop: id, main: true, paths: marked, with: loop.rework?.with ?? [] });
    return;
  }
  const made = await merge(context, train, loop, train.cars.at(-1)?.commit ?? train.base);
  if (made === null) return;
  if ('conflicts' in made) train.clashes.push(await clashOf(context, train, loop, made.conflicts));
  else train.cars.push({ loop: id, head: loop.head, commit: made.commit, tree: made.tree });
}

/** Parked before it was mended and asked for all the same: it merges, markers included, and no gate may notice. */
async function unresolved({ world }: PerformContext, { rework, head }: Riding): Promise<readonly string[] | null> {
  if (rework === null || rework.merged === null) return null;
  return (await findUnresolved(world, rework, head)).length > 0 ? rework.paths : null;
}

/** A landing cut short may have moved integration without a word about it. */
async function landedBefore(context: PerformContext, loop: Riding, integration: Sha): Promise<Sha | null> {
  if (loop.landings === 0) return null;
  return context.world.integration.findLanded({ head: loop.head, loop: loop.id, base: loop.base, integration });
}

/** A branch that holds another loop's unlanded work lands only behind that loop, declared or not. */
async function mayBoard(context: PerformContext, train: Building, loop: Riding): Promise<boolean> {
  const isAboard = (id: LoopId): boolean => train.cars.some((car) => car.loop === id);
  const isThere = (id: LoopId): boolean => isAboard(id) || context.state().loops[id]?.phase.at === 'landed';
  // Who builds on this one cannot be waited for, though each may hold something of the other.
  const others = loopsOf(context.state()).filter(
    (other) =>
      other.id !== loop.id &&
      other.phase.at !== 'landed' &&
      !sharesBranch(loop, other) &&
      !buildsOn(context.state(), other, loop.id),
  );
  // A branch that was mended since may have been built upon before.
  const headsOf = ({ head, base, rework }: Loop): readonly Sha[] =>
    [head, rework?.before ?? null].flatMap((one) => (one === null || one === base || one === loop.head ? [] : [one]));
  const heads = others.flatMap(headsOf);
  const within = heads.length === 0 ? [] : await context.world.integration.unlandedWithin(loop.head, train.base, heads);
  const onto = others.filter((other) => headsOf(other).some((head) => within.includes(head))).map((other) => other.id);
  if (onto.some((id) => !loop.onto.includes(id))) train.implied.push({ loop: loop.id, onto });
  if (onto.every(isThere) && loop.onto.every(isThere)) return true;
  train.clashes.push({ loop: loop.id, main: false, paths: [], with: [] });
  return false;
}

/** Null: it could not be merged for a reason that is not its own. */
async function merge(
  context: PerformContext,
  train: Building,
  loop: Riding,
  onto: Sha,
): Promise<Built | { readonly conflicts: readonly string[] } | null> {
  const options = {
    base: onto,
    head: loop.head,
    under: train.base,
    message: await landingText(context, loop, train.base),
    method: context.policy.method,
    envelopeLater: true,
    ...tickOf(context.state(), loop),
  };
  const { integration } = context.world;
  try {
    return await integration.build(options).catch(() => integration.build(options));
  } catch (error) {
    // Where nothing can be written, nobody's work is to blame.
    if (!(error instanceof AppError) || wantOf(error) !== null || isOutOfRoom(context) || isReadOnly(error))
      throw error;
    const flaw = await flawIn(context, train, loop, error);
    if (flaw === null) train.broken.push({ loop: loop.id, why: error.message });
    else train.flawed.push({ loop: loop.id, why: flaw });
    return null;
  }
}

const isReadOnly = ({ message, facts }: AppError): boolean =>
  [message, ...facts].some((line) => /read-only file system/i.test(line));

/** With integration itself, or only with who rides before it? */
async function clashOf(
  context: PerformContext,
  train: Building,
  loop: Riding,
  paths: readonly string[],
): Promise<TrainClash> {
  const ahead = train.cars.flatMap((car) => (car.loop === null ? [] : [car.loop]));
  if (train.cars.length === 0) return { loop: loop.id, main: true, paths, with: landedSince(context.state(), loop) };
  const alone = await merge(context, train, loop, train.base);
  if (alone === null || !('conflicts' in alone)) return { loop: loop.id, main: false, paths, with: ahead };
  return { loop: loop.id, main: true, paths: alone.conflicts, with: landedSince(context.state(), loop) };
}

type Riding = Loop & { readonly head: Sha };

function loopCalled({ state }: PerformContext, id: LoopId): Riding {
  const loop = state().loops[id];
  invariant(loop != null && loop.head !== null, `loop ${id} has nothing to land`);
  return { ...loop, head: loop.head };
}
