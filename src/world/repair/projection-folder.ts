import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureRalphFolder, logFolder, ralphFolder } from '../git/run/state-places.ts';
import { fixable } from './repair.ts';
import type { Repair, RepairPlace } from './repair.ts';

const CHECK = 'folders';

/** `.ralph/` is for people and may be deleted; where we have worked it is made again, hidden from git as before. */
export function projectionRepair({ repo }: RepairPlace): Repair {
  const isMissing = (): boolean =>
    existsSync(logFolder(repo)) && !['.gitignore', 'logs'].every((name) => existsSync(join(ralphFolder(repo), name)));
  return {
    check: CHECK,
    look: async () => (isMissing() ? [fixable(CHECK, `${ralphFolder(repo)} was deleted, or a part of it`)] : []),
    fix: async () => {
      if (!isMissing()) return [];
      ensureRalphFolder(repo);
      return [`made ${ralphFolder(repo)} again`];
    },
  };
}
