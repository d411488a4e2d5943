import { AppError } from '../../../core/model/errors.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { setSince } from '../../../world/git/run/trusted-folder.ts';
import type { Call } from '../../call/handler.ts';

/** At the end of a run: what would make gates see other files than are committed, from the next run on, unless somebody looks at it. */
export async function sayWhatWasSet(call: Call): Promise<void> {
  try {
    const found = await setSince(findRepository(call.cwd).commonDir);
    if (found.length === 0) return;
    const what = `set while agents were at work, by whom is not known, and in force from the next run on: ${found.join(', ')}`;
    call.out.say(call.out.style.yellow(`warning: ${cleanLine(what)} (git config --show-origin --list)`));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}
