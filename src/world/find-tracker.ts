import { lstatSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { AppError } from '../core/errors.ts';
import { TRACKER_NAMES, trackerKindOf } from '../text/trackers/tracker-names.ts';
import { ifThere } from './processes/read-if-there.ts';

/** The task file to work on: the one named, else the first known name that is there. Relative to the checkout. */
export function findTracker(root: string, named: string | null): string {
  const found = findTrackerOrNull(root, named);
  if (found !== null) return found;
  throw new AppError('E_NO_TASKS', `no task file in ${root}`, {
    facts: [`looked for ${TRACKER_NAMES.join(', ')}`, 'one loop needs no task file: ralph run "what should be done"'],
    remedy: `printf -- '## Tasks\\n\\n- [ ] First task\\n' > PRD.md`,
  });
}

/** The same; null where none is named and none is there. */
export function findTrackerOrNull(root: string, named: string | null): string | null {
  if (named !== null) return namedTracker(root, named);
  return TRACKER_NAMES.find((name) => lstatSync(join(root, name), { throwIfNoEntry: false }) !== undefined) ?? null;
}

function namedTracker(root: string, named: string): string {
  const path = relative(root, resolve(root, named));
  if (trackerKindOf(path) === null)
    throw new AppError('E_TASKS', `${named}: not a kind of task file that is known`, {
      facts: ['known: .md, .json, .yaml, .yml'],
      remedy: 'ralph run --tasks PRD.md',
    });
  if (ifThere(() => lstatSync(join(root, path), { throwIfNoEntry: false })) === undefined)
    throw new AppError('E_NO_TASKS', `${named}: no such file`, { remedy: 'ralph run --tasks PRD.md' });
  return path;
}
