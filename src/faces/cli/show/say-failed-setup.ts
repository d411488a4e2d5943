import { shellWord } from '../../../core/model/shell-word.ts';
import { cleanLine, shortLine } from '../../../text/screen/clean.ts';
import type { MadeFeature } from '../../../world/feature/make-feature.ts';
import { wordsOf } from '../../../world/setup/run-setup.ts';
import type { Output } from '../../call/output.ts';

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
