import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dropAstray, findAstray } from '../gates/gate-worktree.ts';
import { ownIdentity } from '../processes/identity.ts';
import { namesIfThere, textIfThere } from '../os/read-if-there.ts';
import { fixable } from './repair.ts';
import type { Repair, RepairPlace } from './repair.ts';

const CHECK = 'objects';

/**
 * A power cut leaves objects that nobody had flushed as empty files, and git, which only asks whether the file is there, would
 * never write them again: the same merge fails for ever. Nothing is in them, and git makes objects under other names
 * first, so an empty one is never one that is just being made. A gate worktree may stand at a commit that was lost so: it goes.
 * A start looks only if the machine was started anew since the last.
 */
export function emptyObjectsRepair({ repo, worktreeRoot }: RepairPlace, always: boolean): Repair {
  const folder = join(repo.commonDir, 'objects');
  const noted = join(repo.stateDir, 'boot');
  const boot = `${ownIdentity().bootId}\n`;
  const isDue = (): boolean => always || textIfThere(noted) !== boot;
  return {
    check: CHECK,
    look: async () => {
      if (!isDue()) return [];
      const astray = await findAstray(repo, worktreeRoot);
      return [
        ...emptyObjects(folder).map((path) => `${path} is empty, as a power cut leaves it`),
        ...astray.map((path) => `${path} is at a commit that is gone, as a power cut leaves it`),
      ].map((message) => fixable(CHECK, message, 'fail'));
    },
    fix: async () => {
      if (!isDue()) return [];
      const empty = emptyObjects(folder);
      for (const path of empty) rmSync(path, { force: true });
      const astray = await dropAstray(repo, worktreeRoot);
      noteBoot(repo.stateDir, noted, boot);
      return [
        ...(empty.length === 0
          ? []
          : [`removed ${empty.length} empty objects that a power cut left, such as ${empty[0]}`]),
        ...astray.map((path) => `removed ${path}: a power cut took the commit it was at`),
      ];
    },
  };
}

/** Only saves the next start a look: a disk that is full is no reason not to start. */
function noteBoot(folder: string, file: string, boot: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, boot);
  } catch {
    // The next start looks again.
  }
}

function emptyObjects(folder: string): readonly string[] {
  return namesIfThere(folder)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((name) => namesIfThere(join(folder, name)).map((rest) => join(folder, name, rest)))
    .filter((path) => /\/[0-9a-f]{38,62}$/.test(path) && statSync(path, { throwIfNoEntry: false })?.size === 0);
}
