import { AppError } from '../../core/model/errors.ts';
import { isUsable, salvageLog } from '../log/salvage.ts';
import type { Salvaged } from '../log/salvage.ts';
import { inspectLog } from '../log/salvage-inspect.ts';
import { isHalfSwapped } from '../log/log-files.ts';
import { logFolder } from '../git/run/state-places.ts';
import { fixable, foreign } from './repair.ts';
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
