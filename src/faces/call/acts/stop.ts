import { AppError } from '../../../core/model/errors.ts';
import type { Event } from '../../../core/model/events.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { isWorking } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { askLoop, livingTokens, quietLoop } from '../../../world/agents/quiet-loop.ts';
import { awaitState } from '../await-state.ts';
import { readState } from '../project.ts';
import { writeFacts } from '../write-facts.ts';

/** A host needs that long beyond the agent's own grace to read the log and let go. */
export const HOST_MS = 5000;

export interface StopOrder {
  readonly loops: readonly Loop[];
  /** At once, and whatever does not end is killed. */
  readonly force: boolean;
  readonly graceMs: number;
  /** Comes when they are asked and a host sees to it: what remains is to wait. */
  readonly onAsked: (loop: Loop) => void;
}

/**
 * Stops loops, and resolves when that is true: the log says so, and no process of theirs lives. Those whose host is gone are
 * ended here. What cannot be ended stays in the log as it was, so that nobody takes it for stopped.
 */
export async function stopLoops(repo: Repository, order: StopOrder): Promise<State> {
  for (const loop of order.loops) if (loop.host === null) await endOrphan(repo, loop, order);
  await tell(repo, order);
  for (const { id } of order.loops) {
    const now = (await readState(repo)).loops[id];
    if (now?.stopping === true) order.onAsked(now);
  }
  for (const { id } of order.loops) await awaitStop(repo, id, order);
  return readState(repo);
}

async function awaitStop(repo: Repository, id: Loop['id'], order: StopOrder): Promise<void> {
  for (;;) {
    const isSettled = ({ loops }: State): boolean => {
      const now = loops[id];
      return now === undefined || !isWorking(now) || !now.stopping || now.host === null;
    };
    const state = await awaitState(repo, isSettled);
    const loop = state.loops[id];
    if (loop === undefined) return;
    if (!isWorking(loop) || !loop.stopping) return quiet(repo, loop, order);
    // Its host died before it saw the end of the iteration.
    await endOrphan(repo, loop, order);
    await tell(repo, { ...order, loops: [loop] });
  }
}

/** The host that let go of it ends what runs; only what it leaves alive is ended here. */
async function quiet(repo: Repository, loop: Loop, { graceMs }: StopOrder): Promise<void> {
  await quietLoop(repo, { ...whereOf(loop), waitMs: graceMs + HOST_MS, graceMs });
}

async function endOrphan(repo: Repository, loop: Loop, { force, graceMs }: StopOrder): Promise<void> {
  const where = whereOf(loop);
  if (livingTokens(repo, where).length === 0) return;
  if (force) return quietLoop(repo, { ...where, waitMs: 0, graceMs });
  const left = await askLoop(repo, { ...where, graceMs });
  if (left === 0) return;
  const what = left === 1 ? 'a process' : `${left} processes`;
  throw new AppError('E_BUSY', `loop ${loop.id} is still running: ${what} of its agent did not end when asked`, {
    facts: ['its host is gone; nothing else was changed'],
    remedy: `ralph loops stop ${shellWord(loop.id)} --force`,
  });
}

/** Other loops work below a person's checkout: there a place says nothing about whose a process is. */
export const whereOf = ({
  id,
  place,
  worktree,
}: Loop): { readonly loop: Loop['id']; readonly path: string | null } => ({
  loop: id,
  path: place.at === 'checkout' ? null : worktree,
});

async function tell(repo: Repository, { loops, force }: StopOrder): Promise<void> {
  await writeFacts(repo, async (state) =>
    loops.flatMap(({ id }): readonly Event[] => {
      const now = state.loops[id];
      if (now === undefined || !isWorking(now)) return [];
      // The log may not know yet that its host is dead, and would wait for an end that nobody sees.
      return [{ type: 'loop-stopped', loop: id, now: force || now.host === null }];
    }),
  );
}
