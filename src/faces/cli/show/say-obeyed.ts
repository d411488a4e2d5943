import type { Loop, State } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { cleanText } from '../../../text/screen/clean.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { openView } from '../../../world/git/run/view.ts';
import { diffOf, findLoopDiff } from '../../../world/loops/loop-diff.ts';
import type { Call } from '../../call/handler.ts';

const LINES_MAX = 40;

/** Who lets in what later gates and agents go by sees what that is, before it lands. */
export async function sayObeyed(
  { out }: Call,
  repo: Repository,
  { state, loops, target }: { readonly state: State; readonly loops: readonly Loop[]; readonly target: string },
): Promise<void> {
  for (const loop of loops) {
    const paths = (loop.obeyed ?? []).map(pathOf);
    if (paths.length === 0) continue;
    const view = await openView(repo);
    const made = await findLoopDiff(view, state, loop, target);
    if (made === null) continue;
    const lines = cleanText(await diffOf(view, made, paths))
      .trimEnd()
      .split('\n');
    out.say(out.style.yellow(`${taskIdOf(state, loop.task)} changes files that later gates and agents use:`));
    for (const line of lines.slice(0, LINES_MAX)) out.say(`    | ${line}`);
    if (lines.length > LINES_MAX)
      out.say(`    | and ${lines.length - LINES_MAX} lines more: ralph loops diff ${shellWord(loop.id)}`);
  }
}

/** A path is told with what in it counts, or with where it leads. */
const pathOf = (told: string): string => told.replace(/ \(scripts\.[^)]*\)$/, '').replace(/ -> .*$/, '');
