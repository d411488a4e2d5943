import { existsSync, lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cannotWrite } from '../os/errno.ts';
import { lossNote } from '../log/salvage.ts';
import { notedWorktrees } from '../worktrees/loop-notes.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { logFolder } from '../git/run/state-places.ts';
import { fixable } from './repair.ts';
import type { Repair, RepairPlace } from './repair.ts';

const CHECK = 'log';

/** All we knew was deleted, in a repository that we have worked in. What git knows of it is asked for by whoever reads the log next. */
export function lostStateRepair({ repo }: RepairPlace): Repair {
  const { commonDir, stateDir } = repo;
  const haveWorked = (): boolean =>
    existsSync(join(commonDir, 'refs/paralph')) ||
    textIfThere(join(commonDir, 'packed-refs')).includes(' refs/paralph/') ||
    notedWorktrees(repo).length > 0;
  const isLost = (): boolean => !existsSync(logFolder(repo)) && !existsSync(lossNote(stateDir)) && haveWorked();
  const isInTheWay = (): boolean => lstatSync(logFolder(repo), { throwIfNoEntry: false })?.isFile() === true;
  return {
    check: CHECK,
    look: async () => {
      if (isInTheWay()) return [fixable(CHECK, `${logFolder(repo)} is a file, and has to be a folder`, 'fail')];
      return isLost() ? [fixable(CHECK, `${logFolder(repo)} is missing, though we have worked here`)] : [];
    },
    fix: async () => {
      const aside = join(stateDir, 'damaged', new Date().toISOString().replaceAll(/[:.]/g, '-'));
      const isMoved = isInTheWay();
      if (!isMoved && !isLost()) return [];
      try {
        mkdirSync(isMoved ? aside : stateDir, { recursive: true, mode: 0o700 });
        if (isMoved) renameSync(logFolder(repo), join(aside, 'log'));
        writeFileSync(lossNote(stateDir), '');
      } catch (error) {
        throw cannotWrite(stateDir, error);
      }
      const what = isMoved ? `was a file, which is in ${aside} now` : 'was missing';
      return [`${logFolder(repo)} ${what}; what git knows of landings and loops is taken up again`];
    },
  };
}
