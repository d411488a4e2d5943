import { EXIT } from '../../../core/model/errors.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { requireAct } from '../../../core/views/acts.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { readAgentFile } from '../../../world/agents/run/agent-file.ts';
import { canTalk } from '../../../world/agents/run/inbox.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { runFolder } from '../../../world/git/run/state-places.ts';
import { findLoop } from '../../verbs/find-loop.ts';
import { cutNotice, saidText } from '../../verbs/said-text.ts';
import type { Handler } from '../../call/handler.ts';
import { readState } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';
import { writeFacts } from '../../call/write-facts.ts';

/** One fact in the log; the host hands it on, at once where the agent's driver can. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'loops steer');
  const [id = '', ...words] = call.args;
  const said = saidText(words, 'the message', `ralph loops steer ${shellWord(id)} "what it should know"`);
  const repo = findRepository(call.cwd);
  requireWorking(await readState(repo), id);
  const before = await writeFacts(repo, async (state) => [
    { type: 'loop-steered', loop: requireWorking(state, id).id, text: said.text },
  ]);
  const loop = requireWorking(before, id);
  const folder = loop.phase.at === 'iterating' ? runFolder(repo, loop.id, loop.phase.n) : null;
  const isNow = loop.host !== null && folder !== null && canTalk(folder);
  if (call.flags['json'] === true) {
    const when = isNow ? 'now' : 'next-iteration';
    call.out.json({ version: 1, loop: loop.id, task: taskIdOf(before, loop.task), text: said.text, when });
    return EXIT.ok;
  }
  call.out.say(`${loop.id} is told ${isNow ? 'now' : `with its next iteration${why(loop, folder)}`}${cutNotice(said)}`);
  return EXIT.ok;
};

function why({ id, host, phase }: Loop, folder: string | null): string {
  if (host === null) return `: nobody works on it; to go on: ralph loops resume ${shellWord(id)}`;
  if (phase.at === 'gating') return ', unless its gates are green and it is ready';
  return folder === null ? '' : `: driver ${readAgentFile(folder).driver} hears nothing while it works`;
}

function requireWorking(state: State, id: string): Loop {
  const loop = findLoop(state, id);
  requireAct(state, loop, 'steer');
  return loop;
}
