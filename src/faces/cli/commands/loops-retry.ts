import { AppError } from '../../../core/errors.ts';
import { canBeQueued } from '../../../core/landing-queue.ts';
import { loopNext } from '../../../core/loop-next.ts';
import { statusOf } from '../../../core/loops-view.ts';
import { findRepository } from '../../../world/git/repository.ts';
import { describePhase } from '../../verbs/caller.ts';
import { findLoop } from '../../verbs/find-loop.ts';
import type { Handler } from '../handler.ts';
import { landOne } from '../land-one.ts';
import { readState } from '../project.ts';
import { refuseInLoop } from '../refuse-in-loop.ts';

/** Lands once more what was put aside at landing. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'loops retry');
  const repo = findRepository(call.cwd);
  const state = await readState(repo);
  const loop = findLoop(state, call.args[0] ?? '');
  if (loop.phase.at === 'parked' && canBeQueued(loop)) return landOne(call, repo, loop);
  const status = statusOf(state, loop);
  throw new AppError('E_USAGE', `loop ${loop.id} was not put aside at landing: ${describePhase(loop)}`, {
    facts: ['only a loop that was put aside while landing can be landed once more'],
    remedy: loopNext(state, loop, status),
  });
};
