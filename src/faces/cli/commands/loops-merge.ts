import { AppError, EXIT } from '../../../core/model/errors.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { findLoop } from '../../verbs/find-loop.ts';
import type { Handler } from '../../call/handler.ts';
import { readState } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { awaitState } from '../run/await-state.ts';
import { landOne } from './land.ts';

/** Lands one loop. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'loops merge');
  const repo = findRepository(call.cwd);
  const asked = findLoop(await readState(repo), call.args[0] ?? '');
  const state = await awaitState(repo, (now) => !rides(now, asked) || call.flags['force'] !== true);
  const loop = state.loops[asked.id] ?? asked;
  if (loop.phase.at === 'landed') {
    const { commit } = loop.phase;
    if (call.flags['json'] === true) call.out.json({ version: 1, loop: loop.id, already_merged: true, commit });
    call.out.say(`${loop.id} is already merged, as ${commit.slice(0, 12)}`);
    return EXIT.ok;
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
