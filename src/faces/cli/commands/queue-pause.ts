import { findRepository } from '../../../world/git/run/repository.ts';
import { pauseQueue } from '../../call/acts/queue.ts';
import type { Handler } from '../../call/handler.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

export const handle: Handler<{ readonly paused: boolean; readonly was_paused: boolean }> = async (call) => {
  refuseInLoop(call, 'queue pause');
  const { queuePaused } = await pauseQueue(findRepository(call.cwd));
  const told = queuePaused
    ? 'the queue was paused already'
    : 'the queue is paused: ready work waits. to resume: ralph queue resume';
  return { data: { paused: true, was_paused: queuePaused }, says: [told] };
};
