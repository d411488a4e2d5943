import { AppError } from '../../../core/model/errors.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { loopsOf } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { isPromptTask } from '../../../core/model/tasks.ts';
import { findOne } from '../../call/find-one.ts';
import type { Answer, Call } from '../../call/handler.ts';
import { readState } from '../../call/project.ts';
import type { RunAnswer } from './finish-run.ts';
import type { PromptPlan } from './prompt-loop.ts';
import { continueLoop } from './prompt-loop.ts';
import { startProject } from './start-project.ts';

/** `ralph run --continue [--loop-id ID]`: the single loop that was worked on last, or the one named. */
export async function continuePrompt(call: Call): Promise<Answer<RunAnswer | PromptPlan>> {
  if (call.args.length > 0 || call.flags['prompt'] !== undefined || call.flags['promptFile'] !== undefined) {
    const id = call.flags['loopId'];
    throw new AppError('E_USAGE', '--continue resumes a loop with the prompt it has; it takes no other', {
      facts: ['to tell it more while it works: ralph loops steer'],
      remedy: typeof id === 'string' ? `ralph run --continue --loop-id ${shellWord(id)}` : 'ralph run --continue',
    });
  }
  const project = await startProject(call);
  const state = await readState(project.repo);
  const loop = named(call, state) ?? lastOne(state);
  refuseUnfit(state, loop);
  return continueLoop(call, project, state, loop);
}

function named(call: Call, state: State): Loop | null {
  const id = call.flags['loopId'];
  if (typeof id !== 'string') return null;
  return findOne(loopsOf(state), (loop) => [loop.id], id, 'loop', 'ralph loops list --all');
}

function lastOne(state: State): Loop {
  const free = loopsOf(state).filter((loop) => isPromptTask(loop.task) && loop.host === null);
  const [last] = free
    .toSorted((a, b) => b.since - a.since)
    .filter((loop) => mayGoOn(loop) || isUnfinished(state, loop));
  if (last !== undefined) return last;
  throw new AppError('E_UNKNOWN_ID', 'there is not exactly one loop to resume', { remedy: 'ralph loops list --all' });
}

const mayGoOn = ({ phase }: Loop): boolean =>
  phase.at !== 'landed' && !(phase.at === 'parked' && phase.reason === 'discarded');

/** It has landed, but its host died before it had published that or cleared up. */
function isUnfinished({ publishing, integration }: State, { phase, worktree, worktreeState }: Loop): boolean {
  if (phase.at !== 'landed') return false;
  const isPending = publishing.published !== integration && publishing.blocked === null && phase.commit === integration;
  return isPending || (worktree !== null && worktreeState !== 'kept');
}

function refuseUnfit(state: State, loop: Loop): void {
  if (loop.phase.at === 'landed' && !isUnfinished(state, loop))
    throw new AppError('E_LOOP_ENDED', `loop ${loop.id} has landed`, {
      remedy: 'ralph run "what should be done next"',
    });
  if (loop.host !== null && state.hosts[loop.host] != null)
    throw new AppError('E_BUSY', `loop ${loop.id} is being worked on`, {
      remedy: `ralph loops logs ${shellWord(loop.id)} -f`,
    });
  if (!isPromptTask(loop.task))
    throw new AppError('E_USAGE', `loop ${loop.id} works on a task of a task file`, {
      remedy: `ralph loops resume ${shellWord(loop.id)}`,
    });
}
