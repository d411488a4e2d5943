import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bareRepair } from './bare.ts';
import { emptyObjectsRepair } from './empty-objects.ts';
import { entriesRepair } from './entries.ts';
import { gitLocksRepair } from './git-locks.ts';
import { leftoverProcessesRepair } from './leftover-processes.ts';
import { litterRepair } from './litter.ts';
import { logRepair, lostStateRepair } from './log-damage.ts';
import { orphanBranchesRepair } from './orphan-branches.ts';
import { removalsRepair } from './removals.ts';
import { unknownLoopsRepair } from './unknown-loops.ts';
import { vanishedRepair } from './vanished.ts';
import type { State } from '../../core/model/model.ts';
import type { KeepPlace } from '../keep/keep.ts';
import type { Repair, RepairPlace } from './repair.ts';
import { ensureRalphFolder, logFolder, ralphFolder } from '../git/run/state-places.ts';
import { fixable } from './repair.ts';

/**
 * What must be whole before git is asked anything or the log is opened. Every start heals it, where nothing to heal costs a few
 * looks at files; `isThorough` reads everything.
 */
export const firstRepairs = (
  place: RepairPlace,
  { isThorough }: { readonly isThorough: boolean },
): readonly Repair[] => [
  lostStateRepair(place),
  bareRepair(place),
  entriesRepair(place),
  removalsRepair(place),
  emptyObjectsRepair(place, isThorough),
  gitLocksRepair(place),
  logRepair(place, isThorough),
];

/** What needs the state, and git, to be judged. */
export const laterRepairs = (place: RepairPlace, state: State, keep: () => Promise<KeepPlace>): readonly Repair[] => [
  projectionRepair(place),
  vanishedRepair(place, state, keep),
  orphanBranchesRepair(place, state, async () => (await keep()).view),
  unknownLoopsRepair(place, state),
  leftoverProcessesRepair(place, state),
  litterRepair(place),
];

/** Heals what is ours, and says what it healed. */
export async function fixAll(repairs: readonly Repair[]): Promise<readonly string[]> {
  const done: string[] = [];
  for (const repair of repairs) done.push(...(await repair.fix()));
  return done;
}

const CHECK = 'folders';

/** `.ralph/` is for people and may be deleted; where we have worked it is made again, hidden from git as before. */
function projectionRepair({ repo }: RepairPlace): Repair {
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
