import { shellWord } from '../../../core/model/shell-word.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { QueueActed } from '../../call/acts/queue.ts';
import { ejectLoop } from '../../call/acts/queue.ts';
import type { Handler } from '../../call/handler.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

export const handle: Handler<QueueActed> = async (call) => {
  refuseInLoop(call, 'queue eject');
  const data = await ejectLoop(findRepository(call.cwd), call.args[0] ?? '');
  const { task, branch } = data;
  return { data, says: [`${task} is out of the queue, kept on ${branch}. put it back: ralph land ${shellWord(task)}`] };
};
