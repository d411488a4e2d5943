import { EXIT } from '../../../core/model/errors.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { Handler } from '../../call/handler.ts';
import { requireQueued } from '../run/queued-loop.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { writeFacts } from '../../call/write-facts.ts';

/** The loop boards first. A train that has begun without it is built anew. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'queue bump');
  const [id = ''] = call.args;
  const state = await writeFacts(findRepository(call.cwd), async (now) => [
    { type: 'loop-bumped', loop: requireQueued(now, id, 'bump').id },
  ]);
  const loop = requireQueued(state, id, 'bump');
  const task = taskIdOf(state, loop.task);
  if (call.flags['json'] === true) call.out.json({ version: 1, task, loop: loop.id });
  call.out.say(`${task} lands first`);
  return EXIT.ok;
};
