import { cleanLine } from '../../../text/screen/clean.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import type { Call } from '../../call/handler.ts';

/** Who stands in a linked worktree may take it for the checkout that everything is about. */
export function sayWhere(call: Call, { linked, worktree, root }: Repository): void {
  if (!linked || call.env['RALPH_LOOP_ID'] !== undefined) return;
  call.out.say(cleanLine(`note: ${worktree} is a linked worktree; tasks, loops and landings are those of ${root}`));
}
