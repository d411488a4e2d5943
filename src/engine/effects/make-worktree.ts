import type { Command } from '../../core/model/commands.ts';
import { AppError } from '../../core/model/errors.ts';
import type { Event } from '../../core/model/events.ts';
import type { Sha } from '../../core/model/ids.ts';
import { knownOf } from '../../core/loops/integration-value.ts';
import type { Loop } from '../../core/model/model.ts';
import { unlandedBefore } from '../../core/loops/take-over.ts';
import { taskIdOf } from '../../core/model/tasks.ts';
import { claimTask } from './claim-task.ts';
import type { PerformContext } from './perform-context.ts';

/** Nobody has so many branches of one name; what fails so often fails for another reason. */
const TRIES_MAX = 100;

type MakeWorktree = Extract<Command, { type: 'make-worktree' }>;

/** The task, if its tracker wants it to be claimed; a branch and a worktree that start from everything landed, plus the unlanded branches the loop builds on. */
export async function makeWorktree(
  context: PerformContext,
  command: MakeWorktree,
  signal: AbortSignal,
): Promise<readonly Event[]> {
  const { world, state } = context;
  const loop = state().loops[command.loop];
  const notHeld = loop === undefined ? null : await claimTask(world, state(), loop);
  if (notHeld !== null) return [notHeld];
  if (loop?.place.at === 'checkout') return takeCheckout(context, command, { ...loop, path: loop.place.path });
  const { branch, base, path, reused } = await makeOnFreeBranch(context, command);
  if (loop != null) {
    const { id, task, title, attempt } = loop;
    world.worktrees.note(path, { loop: id, task, title, attempt, branch, base: loop.base ?? base });
  }
  const { head, tree } = await world.worktrees.facts(path);
  const baseTree = await world.integration.treeOf(base);
  const name = loop == null ? command.loop : taskIdOf(state(), loop.task);
  const setup = await world.worktrees.prepare({ path, loop: command.loop, name, head, isNew: !reused, signal });
  // Stopped: the worktree stands, and the next try finds it.
  if (signal.aborted) return [];
  const more = { ...(branch === command.branch ? {} : { branch }), ...(setup === null ? {} : { setup }) };
  const made = { path, base, baseTree, head, tree, reused, ...more };
  return [{ type: 'worktree-made', loop: command.loop, fence: command.fence, ...made }];
}

interface Made {
  readonly branch: string;
  readonly base: Sha;
  readonly path: string;
  readonly reused: boolean;
}

/**
 * A branch that somebody else has made under the loop's name is theirs, and the loop takes the next one: numbered, so that a host
 * that goes on after a crash comes to the same one.
 */
async function makeOnFreeBranch(context: PerformContext, command: MakeWorktree): Promise<Made> {
  const { worktrees } = context.world;
  const { loop } = command;
  const key = context.state().loops[loop]?.task;
  const task = key === undefined ? loop : taskIdOf(context.state(), key);
  for (let tries = 1; ; tries += 1) {
    const branch = tries === 1 ? command.branch : `${command.branch}-${tries}`;
    const from = await whereFrom(context, command, branch);
    if (from === null) continue;
    try {
      return { branch, base: from.base, ...(await worktrees.make({ branch, base: from.at, of: { loop, task } })) };
    } catch (error) {
      // Made by somebody in this very moment?
      if (tries === TRIES_MAX || (await whereFrom(context, command, branch)) !== null) throw error;
    }
  }
}

/** Where its worktree is to stand, and what it begins from. Null: the branch is somebody else's. */
async function whereFrom(
  context: PerformContext,
  command: MakeWorktree,
  branch: string,
): Promise<{ readonly at: Sha; readonly base: Sha } | null> {
  const { world } = context;
  const tip = await world.worktrees.tip(branch);
  // It is there already when a host died after making it, or the folder was lost.
  if (tip !== null && command.head === null && (await world.worktrees.isOurs(branch, tip)))
    return { at: tip, base: tip };
  const base = await startingPoint(context, await asTheyAre(context, command));
  if (command.head !== null) return { at: tip ?? command.head, base };
  return tip === null || tip === base ? { at: base, base } : null;
}

/** Nothing is made: the loop works where a person stands, on what is there. */
async function takeCheckout(
  { world, state }: PerformContext,
  { fence, branch }: MakeWorktree,
  { path, ...begun }: Loop & { readonly path: string },
): Promise<readonly Event[]> {
  const { id: loop } = begun;
  const { head: integration } = await world.integration.sync(knownOf(state()));
  const before = unlandedBefore(state(), begun);
  const isThrownAway = before?.phase.at === 'parked' && before.phase.reason === 'discarded';
  const after =
    before?.head == null || before.head === before.base ? null : { head: before.head, integration, isThrownAway };
  const taken = await world.checkout.take({ path, branch, loop, after });
  return [{ type: 'worktree-made', loop, fence, path, ...taken, reused: true }];
}

/** What waits to land may have been rebased since the log saw it, or mended by hand: it lands as it is now. */
function asTheyAre({ world, state }: PerformContext, { loop: id, onto }: MakeWorktree): Promise<readonly Sha[]> {
  const { loops } = state();
  const below = (loops[id]?.onto ?? []).flatMap((one) => loops[one] ?? []);
  return Promise.all(
    onto.map(async (head) => {
      const waiting = below.find((loop) => loop.head === head && loop.phase.at === 'ready');
      return (waiting === undefined ? null : await world.worktrees.tip(waiting.branch)) ?? head;
    }),
  );
}

async function startingPoint({ world, state }: PerformContext, onto: readonly Sha[]): Promise<Sha> {
  const { head } = await world.integration.sync(knownOf(state()));
  if (onto.length === 0) return head;
  const joined = await world.integration.join(head, onto);
  if ('commit' in joined) return joined.commit;
  throw new AppError(
    'E_NEEDS_PERSON',
    `the branches this task builds on do not merge: ${joined.conflicts.join(', ')}`,
    { remedy: 'ralph land --all' },
  );
}
