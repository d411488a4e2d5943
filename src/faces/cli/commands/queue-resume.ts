import { EXIT } from '../../../core/model/errors.ts';
import { landingQueue } from '../../../core/loops/landing-queue.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { Handler } from '../../call/handler.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { writeFacts } from '../../call/write-facts.ts';

export const handle: Handler = async (call) => {
  refuseInLoop(call, 'queue resume');
  const before = await writeFacts(findRepository(call.cwd), async (state) =>
    state.queuePaused ? [{ type: 'queue-resumed' }] : [],
  );
  if (call.flags['json'] === true) call.out.json({ version: 1, paused: false, was_paused: before.queuePaused });
  const waiting = landingQueue(before).length;
  const hasHost = Object.keys(before.hosts).length > 0;
  call.out.say(
    before.queuePaused
      ? `the queue goes on${waiting > 0 && !hasHost ? `; no host runs, so land ${waiting === 1 ? 'it' : `the ${waiting}`} with: ralph land --all` : ''}`
      : 'the queue was not paused',
  );
  return EXIT.ok;
};
