import { invariant } from '../../core/model/assert.ts';
import { madeBefore } from '../../core/views/besides.ts';
import type { Besides } from '../../core/model/place.ts';
import type { Command } from '../../core/model/commands.ts';
import { AppError } from '../../core/model/errors.ts';
import type { Event } from '../../core/model/events.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { GateReport, Loop } from '../../core/model/model.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { GUARDS } from '../../core/loops/rework.ts';
import { taskIdOf, tickOf } from '../../core/model/tasks.ts';
import { flakeOf } from '../../core/loops/odds.ts';
import { timeoutFrom } from '../../core/train/pace.ts';
import type { GatesRan } from '../../world/contract/world.ts';
import type { PerformContext } from './perform-context.ts';
import { beyondAuto } from './beyond-auto.ts';
import { flawedHead } from './flawed-head.ts';
import { heldPaths, NONE_HELD } from './held-paths.ts';
import { findUnresolved } from './unresolved.ts';

type RunGates = Extract<Command, { type: 'run-gates' }>;

const UNTESTED: GatesRan = {
  report: { verdict: 'green', failing: null, tail: '', isUntested: true },
  durationMs: 0,
};
/** Gates that lie more often than this are asked twice before an agent is sent after a ghost. */
export const FLAKY = 0.1;
/** Paths remembered of what a loop changed: enough to see whom it meets. */
const FOOTPRINT_MAX = 200;

/** The gates on exactly what would land, wherever its loop works. */
export async function runGates(
  context: PerformContext,
  command: RunGates,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const loop = context.state().loops[command.loop];
  invariant(loop != null, `loop ${command.loop} has nothing to gate`);
  const head = await context.world.worktrees.tip(loop.branch);
  if (head === null) throw new AppError('E_GIT', `the branch ${loop.branch} is gone`, { remedy: 'git reflog --all' });
  const flawed = await flawedHead(context, command, loop, head);
  if (flawed !== null) return [flawed];
  const seen = await gateHead(context, command, loop, head, signal);
  if (seen === null) return [];
  const { tree, tested, ran, changed, links, tooLarge } = seen;
  if (ran.report.verdict === 'green') await keepResult(context, loop, head);
  const { loop: id, fence, n } = command;
  // What others write through a link that leads out is written there, so it waits for a person as well.
  const { held, obeyed } =
    loop.base === null ? NONE_HELD : await heldPaths(context, { base: loop.base, head, changed });
  const besides = await besidesOf(context, loop, head);
  const beyond = loop.base === null ? null : await beyondAuto(context, loop, { base: loop.base, head, changed });
  const facts = {
    protected: [...held, ...links],
    ...(obeyed.length === 0 ? {} : { obeyed }),
    changed: changed.slice(0, FOOTPRINT_MAX),
    ...(tooLarge === null ? {} : { tooLarge }),
    ...(beyond === null ? {} : { beyond }),
    ...(besides === null ? {} : { besides }),
  };
  return [{ type: 'gates-ended', loop: id, fence, n, head, tree, tested, ...ran, ...facts }];
}

/** On a person's branch there may be more than its own work. */
async function besidesOf({ world, state }: PerformContext, loop: Loop, head: Sha): Promise<Besides | null> {
  if (loop.place.at !== 'checkout' || loop.place.branch === null) return null;
  const { target } = world.integration;
  const made = madeBefore(state(), loop);
  return world.checkout.besides({ loop: loop.id, branch: loop.branch, head, target, ...made });
}

interface Touched {
  readonly changed: readonly string[];
  readonly links: readonly string[];
  readonly tooLarge: string | null;
}

/** What the loop changed since it began; asked while the gates run. */
async function touchedBy({ world }: PerformContext, { base, worktree }: Loop, head: Sha): Promise<Touched> {
  if (base === null) return { changed: [], links: [], tooLarge: null };
  const { worktrees } = world;
  const [changed, links, tooLarge] = await Promise.all([
    worktrees.changed(base, head),
    worktrees.linksOut(base, head),
    worktrees.tooLarge(base, head, worktree),
  ]);
  return { changed, links, tooLarge };
}

/** At once, but the gates are over in any case: who hears of a failure may do something else where they run. */
async function besides(
  gates: Promise<GatesRan | null> | GatesRan,
  asked: Promise<Touched>,
): Promise<[GatesRan | null, Touched]> {
  asked.catch(() => undefined);
  return [await gates, await asked];
}

interface Seen extends Touched {
  readonly tree: Sha;
  readonly tested: Sha;
  readonly ran: GatesRan;
}

/** With the task ticked it is the very tree that lands if nobody else lands first. */
const previewOf = ({ world, state }: PerformContext, loop: Loop, head: Sha) => {
  const { tick, tracker } = tickOf(state(), loop);
  return world.integration.preview(head, tick, tracker);
};

/** On the very commit that would land, away from what its agent has lying about. Null: they were stopped. */
async function gateHead(
  context: PerformContext,
  command: RunGates,
  loop: Loop,
  head: Sha,
  signal: AbortSignal,
): Promise<Seen | null> {
  const tree = await context.world.integration.treeOf(head);
  const preview = await previewOf(context, loop, head);
  const [ran, touched] = await besides(
    gated(context, command, loop, { head, commit: preview?.commit ?? head }, signal),
    touchedBy(context, loop, head),
  );
  return ran === null ? null : { tree, tested: preview?.tree ?? tree, ran, ...touched };
}

async function gated(
  context: PerformContext,
  { n }: RunGates,
  loop: Loop,
  { head, commit }: { readonly head: Sha; readonly commit: Sha },
  signal: AbortSignal,
): Promise<GatesRan | null> {
  const { world, policy, force, state } = context;
  const guard = (await guardFails(context, loop, head)) ?? (await lacksFile(context, head));
  if (guard !== null) return { report: guard, durationMs: 0 };
  if (!policy.hasGates) return UNTESTED;
  const timeoutMs = policy.gateTimeoutAuto ? timeoutFrom(state().pace) : null;
  const toldTo = { slot: loop.slot, task: taskIdOf(state(), loop.task) };
  const run = (name: string): Promise<GatesRan | null> =>
    world.gates.withWorktree(
      commit,
      (path) => world.gates.run({ path, commit, name, toldTo, timeoutMs, signal, force }),
      signal,
    );
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

/** Whoever was to write a file has not done it without. Told as a gate would: whoever looks can run it. */
async function lacksFile({ world, needs }: PerformContext, head: Sha): Promise<GateReport | null> {
  if (needs === null) return null;
  const [text = null] = await world.worktrees.textsAt(head, [needs]);
  if (text !== null && text.trim() !== '') return null;
  const why = text === null ? `there is no ${needs}` : `${needs} is empty`;
  return { verdict: 'red', failing: `test -s ${shellWord(needs)}`, tail: why };
}

/** A head that is ready stays, whatever becomes of its branch; how a conflict was resolved is worth remembering. */
async function keepResult({ world }: PerformContext, loop: Loop, head: Sha): Promise<void> {
  await world.integration.pin(loop.id, head);
  const { rework, base } = loop;
  if (rework?.kind !== 'conflict' || rework.before === null || base === null || rework.paths.length === 0) return;
  // Only a convenience: without it the same conflict is resolved once more.
  await world.integration.learn({ ours: base, theirs: rework.before, resolved: head }).catch(() => undefined);
}
