import { howMany } from '../../../core/model/describe-time.ts';
import type { Place } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { lastOnBranch } from '../../../core/loops/take-over.ts';
import { cleanLine } from '../../../text/screen/clean.ts';
import { openView } from '../../../world/git/run/view.ts';
import { countSince } from '../../../world/start/thrown-away.ts';
import type { Call } from '../../call/handler.ts';
import type { Project } from '../../call/project.ts';
import { readState } from '../../call/project.ts';

const COMMIT_DIGITS = 12;

/** A branch of a person's stays when the loop on it is discarded, and lands with what is on it: they hear of it before that. */
export async function sayThrownAway(
  { out }: Call,
  { repo }: Project,
  { place, target }: { readonly place: Place; readonly target: string },
): Promise<void> {
  if (place.at !== 'checkout' || place.branch === null) return;
  const { branch } = place;
  const loop = lastOnBranch(await readState(repo), branch);
  if (loop?.base == null || loop.phase.at !== 'parked' || loop.phase.reason !== 'discarded') return;
  const count = await countSince(await openView(repo), { branch, target, base: loop.base });
  if (count === 0) return;
  const since = loop.base.slice(0, COMMIT_DIGITS);
  const there = `git -C ${shellWord(place.path)}`;
  out.say(
    out.style.yellow(
      `warning: ${cleanLine(branch)} holds ${howMany(count, 'commit')} since loop ${loop.id} began there, which was discarded; they land too. see: ${there} log ${since}..   without them: ${there} checkout -B ${shellWord(branch)} ${since}`,
    ),
  );
}
