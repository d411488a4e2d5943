import { landingQueue } from '../../../core/loops/landing-queue.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { resumeQueue } from '../../call/acts/queue.ts';
import type { Handler } from '../../call/handler.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

export const handle: Handler<{ readonly paused: boolean; readonly was_paused: boolean }> = async (call) => {
  refuseInLoop(call, 'queue resume');
  const before = await resumeQueue(findRepository(call.cwd));
  const waiting = landingQueue(before).length;
  const isLeft = waiting > 0 && Object.keys(before.hosts).length === 0;
  const land = isLeft
    ? `; no host runs, so land ${waiting === 1 ? 'it' : `the ${waiting}`} with: ralph land --all`
    : '';
  const told = before.queuePaused ? `the queue continues${land}` : 'the queue was not paused';
  return { data: { paused: false, was_paused: before.queuePaused }, says: [told] };
};
