import type { LoopId } from '../../../core/model/ids.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { requireAct } from '../../../core/views/acts.ts';
import { canTalk } from '../../../world/agents/run/inbox.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { runFolder } from '../../../world/git/run/state-places.ts';
import { findLoop } from '../find-loop.ts';
import { readState } from '../project.ts';
import type { SaidText } from '../said-text.ts';
import { writeFacts } from '../write-facts.ts';

export interface Steered {
  readonly loop: LoopId;
  readonly task: string;
  readonly text: string;
  readonly when: 'now' | 'next-iteration';
}

/** Tells a loop something: one fact in the log. Its host hands it on, at once where the agent's driver can. */
export async function steerLoop(
  repo: Repository,
  id: string,
  { text }: SaidText,
): Promise<{ readonly steered: Steered; readonly loop: Loop }> {
  requireWorking(await readState(repo), id);
  const before = await writeFacts(repo, async (state) => [
    { type: 'loop-steered', loop: requireWorking(state, id).id, text },
  ]);
  const loop = requireWorking(before, id);
  const { phase } = loop;
  const isNow = loop.host !== null && phase.at === 'iterating' && canTalk(runFolder(repo, loop.id, phase.n));
  const when = isNow ? 'now' : 'next-iteration';
  return { loop, steered: { loop: loop.id, task: taskIdOf(before, loop.task), text, when } };
}

function requireWorking(state: State, id: string): Loop {
  const loop = findLoop(state, id);
  requireAct(state, loop, 'steer');
  return loop;
}
