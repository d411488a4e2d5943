import { EXIT } from '../../../core/model/errors.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { Handler } from '../../call/handler.ts';
import { requireQueued } from '../run/queued-loop.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { writeFacts } from '../../call/write-facts.ts';

/** Takes a loop out of the queue; its branch is kept. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'queue eject');
  const [id = ''] = call.args;
  const state = await writeFacts(findRepository(call.cwd), async (now) => {
    const queued = requireQueued(now, id, 'eject');
    return [{ type: 'loop-ejected', loop: queued.id }];
  });
  const loop = requireQueued(state, id, 'eject');
  const task = taskIdOf(state, loop.task);
  if (call.flags['json'] === true) call.out.json({ version: 1, task, loop: loop.id, branch: loop.branch });
  call.out.say(`${task} is out of the queue, kept on ${loop.branch}. put it back: ralph land ${shellWord(task)}`);
  return EXIT.ok;
};
