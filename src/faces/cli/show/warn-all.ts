import { cleanLine } from '../../../text/screen/clean.ts';
import type { Call } from '../../call/handler.ts';
import type { Loop } from '../../../core/model/model.ts';

export function warnAll(call: Call, warnings: readonly string[]): void {
  for (const text of warnings) call.out.say(call.out.style.yellow(`warning: ${cleanLine(text)}`));
}

/** What was changed before a loop began in a checkout stays out of its commits, and the agent's changes to it with that. */
export function sayYours({ out }: Call, loop: Loop | undefined): void {
  if (loop?.yours == null) return;
  const why = 'had changes of yours before: what the agent did there is not part of the work';
  out.say(out.style.yellow(`${cleanLine(loop.yours)} ${why}; commit it first, or use --worktree`));
}
