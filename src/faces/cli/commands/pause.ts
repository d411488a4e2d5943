import { findRepository } from '../../../world/git/run/repository.ts';
import type { Answer, Call, Handler } from '../../call/handler.ts';
import { writeFacts } from '../../call/write-facts.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

interface Paused {
  readonly paused: boolean;
  readonly was_paused: boolean;
  /** Runs that are alive. */
  readonly runs: number;
}

/** Nothing new starts; what works goes on. */
export const handle: Handler<Paused> = (call) => hold(call, true);

export const unpause: Handler<Paused> = (call) => hold(call, false);

async function hold(call: Call, paused: boolean): Promise<Answer<Paused>> {
  refuseInLoop(call, paused ? 'pause' : 'unpause');
  const before = await writeFacts(findRepository(call.cwd), async (state) =>
    (state.pausedAt !== undefined) === paused ? [] : [{ type: paused ? 'run-paused' : 'run-unpaused' }],
  );
  const was = before.pausedAt !== undefined;
  const runs = Object.values(before.hosts).filter(({ policy }) => policy.slots > 0).length;
  const alive = runs === 0 ? '; no run is alive now, and the next one begins to work' : '';
  const told = paused
    ? was
      ? `the run was paused already${alive}`
      : `the run is paused: nothing new starts, loops at work continue${alive}. to continue: ralph unpause`
    : was
      ? 'the run continues'
      : 'the run was not paused';
  return { data: { paused, was_paused: was, runs }, says: [told] };
}
