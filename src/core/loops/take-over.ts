import { withLoop, openLoops } from './draft.ts';
import type { Stamp } from '../model/events.ts';
import { park } from './loop.ts';
import type { Loop, State } from '../model/model.ts';
import { isWorking, loopsOf } from '../model/model.ts';

type Sharing = Pick<Loop, 'id' | 'place' | 'branch'>;

/** Both work on one branch of a person's: neither builds on the other, for what one committed there is the other's as well. */
export const sharesBranch = (one: Sharing, other: Sharing): boolean =>
  one.id !== other.id && one.place.at === 'checkout' && other.place.at === 'checkout' && one.branch === other.branch;

/** Whose commits may stand where a loop begins: the last one on its branch that has begun before it and not landed. */
export function unlandedBefore(state: State, loop: Loop): Loop | null {
  const before = loopsOf(state)
    .filter((other) => sharesBranch(loop, other) && other.fence < loop.fence)
    .sort((a, b) => b.fence - a.fence)[0];
  return before === undefined || before.phase.at === 'landed' ? null : before;
}

/** Who began last on a branch of a person's. */
export const lastOnBranch = (state: State, branch: string): Loop | null =>
  loopsOf(state)
    .filter((loop) => loop.place.at === 'checkout' && loop.branch === branch)
    .sort((a, b) => b.fence - a.fence)[0] ?? null;

/** Whoever works on a branch goes on with all that stands there: nobody waits any more for who worked there before. */
export function takeOver(state: State, loop: Loop, stamp: Stamp): State {
  let next = state;
  for (const other of openLoops(state))
    if (sharesBranch(loop, other) && isLeft(other))
      next = withLoop(next, park(other, 'replaced', `loop ${loop.id} continues on its branch`, stamp));
  return next;
}

/** Held by nobody, and on no way to land. What a person has to look at, or has thrown away, stays what it is. */
function isLeft(loop: Loop): boolean {
  const { phase, host } = loop;
  if (isWorking(loop)) return host === null;
  if (phase.at === 'ready') return !phase.queued;
  if (phase.at !== 'parked') return false;
  return !['tampered', 'discarded', 'reset', 'replaced'].includes(phase.reason);
}
