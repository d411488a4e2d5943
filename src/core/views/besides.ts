import { howMany } from '../model/describe-time.ts';
import type { LoopId, Sha } from '../model/ids.ts';
import type { Loop, State } from '../model/model.ts';
import { loopsOf } from '../model/model.ts';
import type { Besides } from '../model/place.ts';
import { shellWord } from '../model/shell-word.ts';
import { sharesBranch } from '../loops/take-over.ts';

/** Named; of more, how many there are is enough. */
export const BESIDES_MAX = 20;
const SHOWN_MAX = 3;

export function describeBesides({ count, commits }: Besides): string {
  const shown = commits.slice(0, SHOWN_MAX);
  const more = count - shown.length;
  const names = `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `its branch also holds ${howMany(count, 'commit')} that neither it nor a landed loop made: ${names}`;
}

/** What a person says to land all of it. */
export const withBranch = ({ id }: Pick<Loop, 'id'>): string => `ralph land ${shellWord(id)} --with-branch`;

/** Ready, and what else it would land waits for a person's word. */
export const heldBesides = ({ phase, besides }: Loop): Besides | null =>
  phase.at === 'ready' && !phase.queued ? (besides ?? null) : null;

/** Of whom it is known what they made on the branch of a loop: nothing of theirs is beside it. */
export interface MadeBefore {
  /** Heads of loops that have landed from a checkout: squashed perhaps, but nobody's any more. */
  readonly landed: readonly Sha[];
  /** Loops that worked on the branch before, and that this one goes on with. */
  readonly after: readonly LoopId[];
}

export function madeBefore(state: State, loop: Loop): MadeBefore {
  const others = loopsOf(state).filter(({ place }) => place.at === 'checkout');
  return {
    landed: others.flatMap(({ phase, head }) => (phase.at === 'landed' && head !== null ? [head] : [])),
    after: others
      .filter((other) => sharesBranch(loop, other) && other.phase.at === 'parked' && other.phase.reason === 'replaced')
      .map(({ id }) => id),
  };
}
