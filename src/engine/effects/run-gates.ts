import { invariant } from '../../core/assert.ts';
import type { Command } from '../../core/commands.ts';
import type { Event } from '../../core/events.ts';
import type { Sha } from '../../core/ids.ts';
import type { GateReport, Loop } from '../../core/model.ts';
import { GUARDS } from '../../core/rework.ts';
import { findTask } from '../../core/tasks.ts';
import { flakeOf } from '../../core/train/odds.ts';
import { timeoutFrom } from '../../core/train/pace.ts';
import { matchProtected } from '../../text/protected-paths.ts';
import type { PerformContext } from '../performer.ts';
import { findUnresolved } from './unresolved.ts';

type RunGates = Extract<Command, { type: 'run-gates' }>;
type Working = Loop & { readonly worktree: string };

interface Ran {
  readonly report: GateReport;
  readonly durationMs: number;
}

const GREEN: Ran = { report: { verdict: 'green', failing: null, tail: '' }, durationMs: 0 };
/** Gates that lie more often than this are asked twice before an agent is sent after a ghost. */
const FLAKY = 0.1;
/** Paths remembered of what a loop changed: enough to see whom it meets. */
const FOOTPRINT_MAX = 200;

/** The gates in the loop's own worktree, on exactly what would land. If that changed meanwhile, nothing was tested. */
export async function runGates(
  context: PerformContext,
  command: RunGates,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const { world, policy } = context;
  const loop = context.state().loops[command.loop];
  invariant(loop != null && loop.worktree !== null, `loop ${command.loop} has nothing to gate`);
  const working: Working = { ...loop, worktree: loop.worktree };
  const path = working.worktree;
  await world.worktrees.standOn(path, loop.branch);
  if (policy.hasGates) await world.worktrees.restore(path);
  const { head, tree } = await world.worktrees.facts(path);
  // With the task ticked it is the very tree that lands if nobody else lands first.
  const preview = await world.integration.preview(head, findTask(context.state(), loop.task)?.id ?? null);
  const [ran, changed, links] = await Promise.all([
    gated(context, command, working, head, preview?.commit ?? null, signal),
    loop.base === null ? [] : world.worktrees.changed(loop.base, head),
    loop.base === null ? [] : world.worktrees.linksOut(loop.base, head),
  ]);
  if (policy.hasGates) await world.worktrees.restore(path);
  await world.worktrees.standOn(path, loop.branch);
  if (ran === null || (await world.worktrees.facts(path)).head !== head) return [];
  if (ran.report.verdict === 'green') await keepResult(context, loop, head);
  const { loop: id, fence, n } = command;
  const tested = preview?.tree ?? tree;
  // What others write through a link that leads out is written there, so it waits for a person as well.
  const held = [...matchProtected(changed, context.protect), ...links];
  const facts = { protected: held, changed: changed.slice(0, FOOTPRINT_MAX) };
  return [{ type: 'gates-ended', loop: id, fence, n, head, tree, tested, ...ran, ...facts }];
}

async function gated(
  context: PerformContext,
  { n }: RunGates,
  loop: Working,
  head: Sha,
  preview: Sha | null,
  signal: AbortSignal,
): Promise<Ran | null> {
  const { world, policy, force, state } = context;
  const guard = await guardFails(context, loop, head);
  if (guard !== null) return { report: guard, durationMs: 0 };
  if (!policy.hasGates) return GREEN;
  const path = loop.worktree;
  const timeoutMs = policy.gateTimeoutAuto ? timeoutFrom(state().pace) : null;
  const run = async (name: string): Promise<Ran | null> => {
    if (preview === null) return world.gates.run({ path, name, timeoutMs, signal, force });
    await world.worktrees.standAt(path, preview);
    const ran = await world.gates.run({ path, name, timeoutMs, signal, force });
    // A host that was taken for dead may have stood it back on its branch: then nobody knows what the gates saw.
    return world.worktrees.isOn(path, loop.branch) ? null : ran;
  };
  const first = await run(`${loop.id}/gates-${n}`);
  if (first === null || first.report.verdict === 'green' || flakeOf(state().odds) <= FLAKY) return first;
  await world.worktrees.restore(path);
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
