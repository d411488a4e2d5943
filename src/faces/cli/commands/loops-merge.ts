import { AppError } from '../../../core/model/errors.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { findLoop } from '../../call/find-loop.ts';
import type { Handler } from '../../call/handler.ts';
import { readState } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { awaitState } from '../../call/await-state.ts';
import type { LandAnswer } from './land.ts';
import { landOne } from './land.ts';

interface Landed {
  readonly loop: string;
  readonly already_landed: true;
  readonly commit: string;
}

/** Lands one loop. */
export const handle: Handler<LandAnswer | Landed> = async (call) => {
  refuseInLoop(call, 'loops merge');
  const repo = findRepository(call.cwd);
  const asked = findLoop(await readState(repo), call.args[0] ?? '');
  const state = await awaitState(repo, (now) => !rides(now, asked) || call.flags['force'] !== true);
  const loop = state.loops[asked.id] ?? asked;
  if (loop.phase.at === 'landed') {
    const { commit } = loop.phase;
    const says = [`${loop.id} has landed already, as ${commit.slice(0, 12)}`];
    return { data: { loop: loop.id, already_landed: true, commit }, says };
  }
  refuseUnfit(state, loop);
  return landOne(call, repo, loop);
};

/** Another process tests it, or moves main to it. */
const rides = (state: State, { id }: Loop): boolean => state.landing?.cars.some((car) => car.loop === id) === true;

function refuseUnfit(state: State, loop: Loop): void {
  const { id } = loop;
  if (rides(state, loop))
    throw new AppError('E_BUSY', `loop ${id} is being merged at this moment`, {
      facts: ['with --force this waits for that and lands it if it did not'],
      remedy: `ralph loops merge ${shellWord(id)} --force`,
    });
}
