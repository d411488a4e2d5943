import type { LoopId } from '../../../core/model/ids.ts';
import type { State } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { lastStderr } from '../../../world/agents/transcript.ts';

/** What an agent that failed complained of last, and where the rest is; nothing for one that did not fail. */
export function failedWords(repo: Repository, state: State, id: LoopId | null): readonly string[] {
  const loop = id === null ? undefined : state.loops[id];
  if (loop === undefined || loop.phase.at !== 'parked' || loop.failureStreak === 0) return [];
  const lines = lastStderr(repo, loop.id);
  if (lines.length === 0) return [];
  return [
    `the agent wrote to its standard error (all of it: ralph loops logs ${shellWord(loop.id)} --stderr):`,
    ...lines.map((line) => `  ${line}`),
  ];
}
