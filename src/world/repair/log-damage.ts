import { existsSync, lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { isUsable, salvageLog, lossNote } from '../log/salvage.ts';
import type { Salvaged } from '../log/salvage.ts';
import { inspectLog } from '../log/salvage-inspect.ts';
import { isHalfSwapped } from '../log/log-files.ts';
import { logFolder } from '../git/run/state-places.ts';
import { fixable, foreign } from './repair.ts';
import { cannotWrite } from '../os/errno.ts';
import { notedWorktrees } from '../worktrees/loop-notes.ts';
import { textIfThere } from '../os/read-if-there.ts';
import type { Repair, RepairPlace } from './repair.ts';

const CHECK = 'log';
/** More would hide the rest; the report beside the damage has all of it. */
const SHOWN_MAX = 5;

/** The log itself. `thorough`: every record of it; else what a start reads, which is what must be whole. */
export function logRepair({ repo }: RepairPlace, thorough: boolean): Repair {
  const dir = logFolder(repo);
  return {
    check: CHECK,
    look: async () => {
      if (isHalfSwapped(dir)) return [fixable(CHECK, `${dir} was being salvaged when the process was killed`, 'fail')];
      try {
        const { damage } = inspectLog(dir);
        const shown = damage.slice(0, SHOWN_MAX).map(({ where, what }) => fixable(CHECK, `${where}: ${what}`, 'fail'));
        const more = damage.length - shown.length;
        return more <= 0 ? shown : [...shown, fixable(CHECK, `${more} more places like these`, 'fail')];
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return [foreign(CHECK, 'fail', error.message, error.remedy)];
      }
    },
    fix: async () => {
      if (!thorough && (await isUsable(dir))) return [];
      const done = await salvageLog(dir, Date.now());
      return done === null ? [] : [describe(done)];
    },
  };
}

function describe({ damage, aside, base, lost }: Salvaged): string {
  const [first] = damage;
  const what = `${first?.where ?? ''}: ${first?.what ?? ''}${damage.length > 1 ? ` (and ${damage.length - 1} more)` : ''}`;
  const outcome =
    lost !== null
      ? `records ${lost.from} to ${lost.to} are lost, and what git knows of them is taken up again`
      : base !== null
        ? `nothing is lost: snapshot ${base} holds it`
        : 'nothing is lost';
  return `salvaged the log; ${what}; ${outcome}; the damaged one is kept in ${aside}`;
}

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
