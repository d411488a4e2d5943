import { shellWord } from '../../core/model/shell-word.ts';
import { cutShort, finishRemovals, leftAside } from '../worktrees/finish-removals.ts';
import { fixable, foreign } from './repair.ts';
import type { Repair, RepairPlace } from './repair.ts';

const CHECK = 'removals';

/** Worktrees that were being removed when somebody was killed. Their work was kept before. */
export function removalsRepair({ repo }: RepairPlace): Repair {
  return {
    check: CHECK,
    look: async () => [
      ...cutShort(repo).map(({ path }) => fixable(CHECK, `the removal of ${path} was cut short`)),
      ...leftAside(repo).map(({ aside, why }) =>
        why === null
          ? fixable(CHECK, `${aside} is left of a removal that was cut short`)
          : foreign(CHECK, 'warn', `${aside} cannot be deleted: ${why}`, `sudo rm -rf ${shellWord(aside)}`),
      ),
    ],
    fix: async () =>
      (await finishRemovals(repo)).map(
        ({ path, kept }) => `ended the removal of ${path ?? ''}${kept === null ? '' : `, which is kept as ${kept}`}`,
      ),
  };
}
