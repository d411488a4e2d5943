import { AppError } from '../../core/model/errors.ts';
import type { Command } from '../../core/model/commands.ts';
import type { Event } from '../../core/model/events.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Loop } from '../../core/model/model.ts';
import { describeFlaw, flawReport } from '../../core/loops/rework.ts';
import type { Worktrees } from '../../world/contract/world.ts';
import type { PerformContext } from './perform-context.ts';

/** What an iteration left. */
export type Left = Omit<Awaited<ReturnType<Worktrees['commitLeftovers']>>, 'branch' | 'committed' | 'kept'>;
type RunGates = Extract<Command, { type: 'run-gates' }>;

/**
 * What no gate of the user's sees: a commit of the branch names something that is nowhere, or that git does not allow. Its own agent
 * can mend that best, so it is looked for before anything else is done with the branch. Null: all of it is whole.
 */
export async function flawedHead(
  context: PerformContext,
  { fence, n }: RunGates,
  loop: Loop,
  head: Sha,
): Promise<Event | null> {
  const [tree, known] = await Promise.all([treeIn(context, loop, head), knownTo(context)]);
  // Squashed, only its files land, and none of its commits.
  const tip = context.policy.method === 'squash' ? tree : head;
  const why = await context.world.integration.findFlaw([tip], known);
  if (why === null) return null;
  const report = flawReport(why, loop);
  const nothing = { durationMs: 0, protected: [], changed: [] };
  return { type: 'gates-ended', loop: loop.id, fence, n, head, tree, tested: tree, report, ...nothing };
}

/** What the log has landed, wherever the ref is: an agent can write that. */
async function knownTo({ world, state }: PerformContext): Promise<readonly Sha[]> {
  const { integration } = state();
  const known = [integration, await world.integration.targetHead()];
  return known.filter((commit) => commit !== null);
}

/** Of a commit that is nowhere, or whose tree nobody can tell: the one before. */
const treeIn = ({ world }: PerformContext, { tree, baseTree }: Loop, head: Sha): Promise<Sha> =>
  world.integration.treeOf(head).catch((error: unknown) => {
    const before = tree ?? baseTree;
    if (before === null || !isGits(error)) throw error;
    return before;
  });

export const isGits = (error: unknown): boolean => error instanceof AppError && error.code === 'E_GIT';

/**
 * git cannot even look at a worktree that stands on such a commit. Where that is why nothing could be committed there, the loop goes
 * on and is told; any other failure stays one.
 */
export async function flawedEnd(context: PerformContext, loop: Loop, error: unknown): Promise<Left> {
  const head = isGits(error) ? await context.world.worktrees.tip(loop.branch) : null;
  const why = head === null ? null : await context.world.integration.findFlaw([head], await knownTo(context));
  if (head === null || why === null) throw error;
  return { head, tree: await treeIn(context, loop, head), odd: describeFlaw(why, loop) };
}

/** What git cannot tell of such a branch is left out; what is wrong with it is told apart from that. */
export function unlessFlawed(error: unknown): null {
  if (isGits(error)) return null;
  throw error;
}
