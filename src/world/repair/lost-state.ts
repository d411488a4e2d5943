import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cannotWrite } from '../log/log-errors.ts';
import { lossNote } from '../log/salvage.ts';
import { notedWorktrees } from '../loop-notes.ts';
import { textIfThere } from '../processes/read-if-there.ts';
import { logFolder } from '../state-places.ts';
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
  return {
    check: CHECK,
    look: async () => (isLost() ? [fixable(CHECK, `${logFolder(repo)} is missing, though we have worked here`)] : []),
    fix: async () => {
      if (!isLost()) return [];
      try {
        mkdirSync(stateDir, { recursive: true });
        writeFileSync(lossNote(stateDir), '');
      } catch (error) {
        throw cannotWrite(stateDir, error);
      }
      return [`${logFolder(repo)} was missing; what git knows of landings and loops is taken up again`];
    },
  };
}
