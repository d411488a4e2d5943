import type { Loop } from './model.ts';

const OURS = 'ralph/';

/** Whether its branch was made for it. One that stood in a person's checkout before it began is theirs, whatever becomes of the loop. */
export const ownsBranch = ({ place, branch }: Pick<Loop, 'place' | 'branch'>): boolean =>
  place.at === 'worktree' || branch.startsWith(OURS);
