import { invariant } from '../../../core/model/assert.ts';
import { AppError } from '../../../core/model/errors.ts';
import type { HostId, LoopId } from '../../../core/model/ids.ts';
import type { Host, Loop, State } from '../../../core/model/model.ts';
import { isWorking } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { whyNotResumed } from '../../../core/fold/stop-loop.ts';
import { trackerOf } from '../../../core/model/tasks.ts';
import { leftoversMessage } from '../../../text/commit-message.ts';
import { livingTokens } from '../../../world/agents/quiet-loop.ts';
import { readCommitter } from '../../../world/git/run/identity.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { commitLeftovers } from '../../../world/loops/leftovers.ts';
import { isThere } from '../../../world/os/read-if-there.ts';
import { awaitStateFor } from '../await-state.ts';
import type { Project } from '../project.ts';
import { writeFacts } from '../write-facts.ts';
import { whereOf } from './stop.ts';

/** How long a host may take to see that there is something to take up. */
const TAKEN_MS = 5000;

export interface HandedOver {
  readonly loop: LoopId;
  /** Who has taken it up; null: it waits for a free slot. */
  readonly by: HostId | null;
  readonly host: HostId;
}

/** Lets a loop go on with a host that works through its tracker. */
export async function handOver(repo: Repository, { id }: Loop, host: Host): Promise<HandedOver> {
  await writeFacts(repo, async (state) => {
    const now = state.loops[id];
    return now === undefined || whyNotResumed(state, now) !== null ? [] : [{ type: 'loop-resumed', loop: id }];
  });
  const taken = await awaitStateFor(repo, TAKEN_MS, ({ loops }) => {
    const now = loops[id];
    invariant(now !== undefined, `loop ${id} is in the log`);
    return now.host !== null || !isWorking(now);
  });
  return { loop: id, by: taken?.loops[id]?.host ?? null, host: host.id };
}

/** What a person changed in its worktree while it stood still is part of its work; its agent begins on top of it. */
export async function commitByHand({ repo, config }: Project, loop: Loop): Promise<void> {
  const { maxNew } = config.settings.landing;
  const { path } = whereOf(loop);
  if (livingTokens(repo, { loop: loop.id, path }).length > 0)
    throw new AppError('E_BUSY', `processes of loop ${loop.id} still live`, {
      remedy: `ralph loops stop ${shellWord(loop.id)} --force`,
    });
  if (path === null || !isThere(path)) return;
  const identity = await readCommitter(repo, config.settings.landing.sign);
  const message = leftoversMessage(loop.title, loop.id, loop.iteration);
  await commitLeftovers(repo, { path, branch: loop.branch, message, base: loop.base, maxNew, identity });
}

/** A living host that takes up whatever loop of this tracker is free. */
export function hostFor(state: State, loop: Loop): Host | null {
  const tracker = trackerOf(state, loop.task);
  const fits = ({ state: at, policy }: Host): boolean =>
    at === 'up' && policy.slots > 0 && policy.only === null && policy.tracker === tracker;
  return Object.values(state.hosts).find(fits) ?? null;
}
