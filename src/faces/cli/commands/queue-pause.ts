import { EXIT } from '../../../core/model/errors.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { Handler } from '../../call/handler.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { writeFacts } from '../../call/write-facts.ts';

/** Nothing lands until the queue is let go; loops go on working. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'queue pause');
  const before = await writeFacts(findRepository(call.cwd), async (state) =>
    state.queuePaused ? [] : [{ type: 'queue-paused' }],
  );
  if (call.flags['json'] === true) call.out.json({ version: 1, paused: true, was_paused: before.queuePaused });
  call.out.say(
    before.queuePaused
      ? 'the queue was paused already'
      : 'the queue is paused: what is ready waits. let it go: ralph queue resume',
  );
  return EXIT.ok;
};
