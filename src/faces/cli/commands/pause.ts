import { EXIT } from '../../../core/model/errors.ts';
import type { ExitCode } from '../../../core/model/errors.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { Call, Handler } from '../../call/handler.ts';
import { writeFacts } from '../../call/write-facts.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

/** Nothing new starts; what works goes on. */
export const handle: Handler = (call) => hold(call, true);

export const unpause: Handler = (call) => hold(call, false);

async function hold(call: Call, paused: boolean): Promise<ExitCode> {
  refuseInLoop(call, paused ? 'pause' : 'unpause');
  const before = await writeFacts(findRepository(call.cwd), async (state) =>
    (state.pausedAt !== undefined) === paused ? [] : [{ type: paused ? 'run-paused' : 'run-unpaused' }],
  );
  const was = before.pausedAt !== undefined;
  const runs = Object.values(before.hosts).filter(({ policy }) => policy.slots > 0).length;
  if (call.flags['json'] === true) call.out.json({ version: 1, paused, was_paused: was, runs });
  const alive = runs === 0 ? '; no run is alive now, and the next one begins to work' : '';
  if (paused)
    call.out.say(
      was
        ? `the run was paused already${alive}`
        : `the run is paused: nothing new starts, what works goes on${alive}. go on: ralph unpause`,
    );
  else call.out.say(was ? 'the run goes on' : 'the run was not paused');
  return EXIT.ok;
}
