import { AppError } from '../../../core/model/errors.ts';
import { canBeQueued } from '../../../core/loops/landing-queue.ts';
import { describeStanding, standing } from '../../../core/views/standing.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { findLoop } from '../../call/find-loop.ts';
import type { Handler } from '../../call/handler.ts';
import { readState } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import type { LandAnswer } from './land.ts';
import { landOne } from './land.ts';

/** Lands once more what was put aside at landing. */
export const handle: Handler<LandAnswer> = async (call) => {
  refuseInLoop(call, 'loops retry');
  const repo = findRepository(call.cwd);
  const state = await readState(repo);
  const loop = findLoop(state, call.args[0] ?? '');
  if (loop.phase.at === 'parked' && canBeQueued(loop)) return landOne(call, repo, loop);
  const stands = standing(state, loop);
  throw new AppError('E_USAGE', `loop ${loop.id} was not parked at landing: it is ${describeStanding(stands)}`, {
    facts: ['only a loop that was parked at landing can be landed again'],
    remedy: stands.next,
  });
};
