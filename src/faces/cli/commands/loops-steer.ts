import type { Loop } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { readAgentFile } from '../../../world/agents/run/agent-file.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { runFolder } from '../../../world/git/run/state-places.ts';
import type { Steered } from '../../call/acts/steer.ts';
import { steerLoop } from '../../call/acts/steer.ts';
import type { Handler } from '../../call/handler.ts';
import { cutNotice, saidText } from '../../call/said-text.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

export const handle: Handler<Steered> = async (call) => {
  refuseInLoop(call, 'loops steer');
  const [id = '', ...words] = call.args;
  const said = saidText(words, 'the message', `ralph loops steer ${shellWord(id)} "what it should know"`);
  const repo = findRepository(call.cwd);
  const { steered, loop } = await steerLoop(repo, id, said);
  const when = steered.when === 'now' ? 'now' : `with its next iteration${why(repo, loop)}`;
  return { data: steered, says: [`${loop.id} gets the message ${when}${cutNotice(said)}`] };
};

function why(repo: Repository, { id, host, phase }: Loop): string {
  if (host === null) return `: no host works on it; to continue: ralph loops resume ${shellWord(id)}`;
  if (phase.at === 'gating') return ', unless its gates are green and it is ready';
  if (phase.at !== 'iterating') return '';
  return `: driver ${readAgentFile(runFolder(repo, id, phase.n)).driver} hears nothing while it works`;
}
