import { shellWord } from '../../../core/model/shell-word.ts';
import { cleanLine, shortLine } from '../../../text/screen/clean.ts';
import type { MadeFeature } from '../../../world/feature/make-feature.ts';
import { wordsOf } from '../../../world/setup/run-setup.ts';
import type { Output } from '../../call/output.ts';
import type { LoopId } from '../../../core/model/ids.ts';
import type { State } from '../../../core/model/model.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { lastStderr } from '../../../world/agents/transcript.ts';

const TAIL_CHARS = 200;

/** What did not work and how to try it again: the worktree can be used all the same. */
export function sayFailedSetup(out: Output, { path, setup }: MadeFeature): void {
  for (const { command, ok, tail } of setup) {
    if (ok) continue;
    const said = shortLine(tail.split('\n').at(-1) ?? '', TAIL_CHARS);
    out.say(out.style.yellow(cleanLine(`failed: ${wordsOf(command)}${said === '' ? '' : `: ${said}`}`)));
    out.say(cleanLine(`again: cd ${shellWord(path)} && ${wordsOf(command)}`));
  }
}

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
