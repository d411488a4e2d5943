import { invariant } from '../../core/assert.ts';
import { madeBefore } from '../../core/besides.ts';
import type { Besides } from '../../core/besides.ts';
import type { Command } from '../../core/commands.ts';
import type { Event } from '../../core/events.ts';
import type { Sha } from '../../core/ids.ts';
import type { GateReport, Loop } from '../../core/model.ts';
import { GUARDS } from '../../core/rework.ts';
import { tickOf } from '../../core/tasks.ts';
import { flakeOf } from '../../core/train/odds.ts';
import { timeoutFrom } from '../../core/train/pace.ts';
import { matchProtected } from '../../text/protected-paths.ts';
import type { GatesRan } from '../../world/world.ts';
import type { PerformContext } from '../performer.ts';
import { findUnresolved } from './unresolved.ts';

type RunGates = Extract<Command, { type: 'run-gates' }>;
type Working = Loop & { readonly worktree: string };

type Ran = Pick<GatesRan, 'report' | 'durationMs'>;

const GREEN: Ran = { report: { verdict: 'green', failing: null, tail: '' }, durationMs: 0 };
/** Gates that lie more often than this are asked twice before an agent is sent after a ghost. */
const FLAKY = 0.1;
/** The gate worktree of loops in place; trains use the first ones. */
export const APART_SLOT = 16;
/** Paths remembered of what a loop changed: enough to see whom it meets. */
const FOOTPRINT_MAX = 200;

/** The gates on exactly what would land. If that changed meanwhile, nothing was tested. */
export async function runGates(
  context: PerformContext,
  command: RunGates,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const loop = context.state().loops[command.loop];
  invariant(loop != null && loop.worktree !== null, `loop ${command.loop} has nothing to gate`);
  const working: Working = { ...loop, worktree: loop.worktree };
  const seen = await (loop.place.at === 'checkout' ? gateApart : gateInside)(context, command, working, signal);
  if (seen === null) return [];
  const { head, tree, tested, ran, changed, links } = seen;
  if (ran.report.verdict === 'green') await keepResult(context, loop, head);
  const { loop: id, fence, n } = command;
  // What others write through a link that leads out is written there, so it waits for a person as well.
  const held = [...matchProtected(changed, context.protect), ...links];
  const besides = await besidesOf(context, loop, head);
  const facts = {
    protected: held,
    changed: changed.slice(0, FOOTPRINT_MAX),
    ...(besides === null ? {} : { besides }),
  };
  return [{ type: 'gates-ended', loop: id, fence, n, head, tree, tested, ...ran, ...facts }];
}

/** On a person's branch there may be more than its own work. */
async function besidesOf({ world, state }: PerformContext, loop: Loop, head: Sha): Promise<Besides | null> {
  if (loop.place.at !== 'checkout' || loop.place.branch === null) return null;
  const { target } = world.integration;
  const made = madeBefore(state(), loop);
  return world.worktrees.besides({ loop: loop.id, branch: loop.branch, head, target, ...made });
}

interface Touched {
  readonly changed: readonly string[];
  readonly links: readonly string[];
}

/** What the loop changed since it began; asked while the gates run. */
async function touchedBy({ world }: PerformContext, { base }: Loop, head: Sha): Promise<Touched> {
  if (base === null) return { changed: [], links: [] };
  const { worktrees } = world;
  const [changed, links] = await Promise.all([worktrees.changed(base, head), worktrees.linksOut(base, head)]);
  return { changed, links };
}

/** At once, but the gates are over in any case: who hears of a failure may do something else where they run. */
async function besides(gates: Promise<Ran | null> | Ran, asked: Promise<Touched>): Promise<[Ran | null, Touched]> {
  asked.catch(() => undefined);
  return [await gates, await asked];
}

interface Seen extends Touched {
  readonly head: Sha;
  readonly tree: Sha;
  readonly tested: Sha;
  readonly ran: Ran;
}

/** With the task ticked it is the very tree that lands if nobody else lands first. */
const previewOf = ({ world, state }: PerformContext, loop: Loop, head: Sha) => {
  const { tick, tracker } = tickOf(state(), loop);
  return world.integration.preview(head, tick, tracker);
};

/** In the loop's own worktree. Null: nobody knows what the gates saw. */
async function gateInside(
  context: PerformContext,
  command: RunGates,
  loop: Working,
  signal: AbortSignal,
): Promise<Seen | null> {
  const { worktrees } = context.world;
  const { hasGates } = context.policy;
  const path = loop.worktree;
  await worktrees.standOn(path, loop.branch);
  if (hasGates) await worktrees.restore(path);
  const { head, tree } = await worktrees.facts(path);
  const preview = await previewOf(context, loop, head);
  const [ran, touched] = await besides(
    gated(context, command, loop, { head, commit: preview?.commit ?? head }, signal),
    touchedBy(context, loop, head),
  );
  await worktrees.standOn(path, loop.branch);
  if (ran === null || (await worktrees.facts(path)).head !== head) return null;
  return { head, tree, tested: preview?.tree ?? tree, ran, ...touched };
}

/** A person's checkout holds more than the work, and nothing of it may be put aside: what would land is tested elsewhere. */
async function gateApart(
  context: PerformContext,
  { n }: RunGates,
  loop: Working,
  signal: AbortSignal,
): Promise<Seen | null> {
  const { world, policy, force, state } = context;
  const head = await world.worktrees.tip(loop.branch);
  if (head === null) return null;
  const tree = await world.integration.treeOf(head);
  const preview = await previewOf(context, loop, head);
  const timeoutMs = policy.gateTimeoutAuto ? timeoutFrom(state().pace) : null;
  const name = `${loop.id}/gates-${n}`;
  const commit = preview?.commit ?? head;
  const gate = (path: string): Promise<Ran | null> => world.gates.run({ path, commit, name, timeoutMs, signal, force });
  const [ran, touched] = await besides(
    policy.hasGates ? world.worktrees.withGateWorktree(APART_SLOT, commit, gate) : GREEN,
    touchedBy(context, loop, head),
  );
  return ran === null ? null : { head, tree, tested: preview?.tree ?? tree, ran, ...touched };
}

/** On no branch, so that what a gate commits is on none. What it leaves is thrown away. */
async function gated(
  context: PerformContext,
  { n }: RunGates,
  loop: Working,
  { head, commit }: { readonly head: Sha; readonly commit: Sha },
  signal: AbortSignal,
): Promise<Ran | null> {
  const { world, policy, force, state } = context;
  const guard = await guardFails(context, loop, head);
  if (guard !== null) return { report: guard, durationMs: 0 };
  if (!policy.hasGates) return GREEN;
  const path = loop.worktree;
  const timeoutMs = policy.gateTimeoutAuto ? timeoutFrom(state().pace) : null;
  const run = async (name: string): Promise<Ran | null> => {
    await world.worktrees.standAt(path, commit);
    const ran = await world.gates.run({ path, commit, name, timeoutMs, signal, force });
    if (ran?.clean !== true) await world.worktrees.restore(path);
    // A host that was taken for dead may have stood it back on its branch: then nobody knows what the gates saw.
    return world.worktrees.isOn(path, loop.branch) ? null : ran;
  };
  const first = await run(`${loop.id}/gates-${n}`);
  if (first === null || first.report.verdict === 'green' || flakeOf(state().odds) <= FLAKY) return first;
  const second = await run(`${loop.id}/gates-${n}-again`);
  return second === null ? null : { ...second, durationMs: first.durationMs + second.durationMs };
}

/** What gates of the user's cannot know: a conflict is resolved when no marker is left, and a resolver touches nothing else. */
async function guardFails({ world }: PerformContext, loop: Loop, head: Sha): Promise<GateReport | null> {
  const { rework } = loop;
  if (rework === null || rework.merged === null || rework.paths.length === 0) return null;
  const left = await findUnresolved(world, rework, head);
  if (left.length > 0) return { verdict: 'red', failing: GUARDS.markers, tail: left.join('\n') };
  if (rework.by !== 'resolver') return null;
  const changed = await world.worktrees.changed(rework.merged, head);
  const stray = changed.filter((path) => !rework.paths.includes(path));
  return stray.length === 0 ? null : { verdict: 'red', failing: GUARDS.stray, tail: stray.join('\n') };
}

/** A head that is ready stays, whatever becomes of its branch; how a conflict was resolved is worth remembering. */
async function keepResult({ world }: PerformContext, loop: Loop, head: Sha): Promise<void> {
  await world.integration.pin(loop.id, head);
  const { rework, base } = loop;
  if (rework?.kind !== 'conflict' || rework.before === null || base === null || rework.paths.length === 0) return;
  // Only a convenience: without it the same conflict is resolved once more.
  await world.integration.learn({ ours: base, theirs: rework.before, resolved: head }).catch(() => undefined);
}
