import { findRepository } from '../../../world/git/run/repository.ts';
import type { QueueActed } from '../../call/acts/queue.ts';
import { bumpLoop } from '../../call/acts/queue.ts';
import type { Handler } from '../../call/handler.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

export const handle: Handler<QueueActed> = async (call) => {
  refuseInLoop(call, 'queue bump');
  const data = await bumpLoop(findRepository(call.cwd), call.args[0] ?? '');
  return { data, says: [`${data.task} lands first`] };
};
