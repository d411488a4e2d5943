import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { Settings } from '../../core/model/settings.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { BEADS } from '../../core/model/tasks.ts';
import { isBeadsLines } from '../../text/trackers/tracker-names.ts';
import type { Repository } from '../git/run/repository.ts';
import { ifThere } from '../os/read-if-there.ts';
import { findTracker, findTrackerOrNull } from './find-tracker.ts';
import type { TaskPlace } from './find-tracker.ts';

type Chosen = Pick<Settings, 'tasks' | 'tracker'>;

/** Where tasks are kept: the path of a task file, or the name of a tracker that is none. */
export async function findTaskSource(place: TaskPlace, settings: Chosen): Promise<string> {
  return (await findTaskSourceOrNull(place, settings)) ?? findTracker(place, settings.tasks);
}

/** The same; null where nothing is named and nothing is there. */
export async function findTaskSourceOrNull(
  place: TaskPlace,
  { tasks, tracker: { kind } }: Chosen,
): Promise<string | null> {
  switch (kind) {
    case 'file':
      return findTrackerOrNull(place, tasks);
    case 'auto':
      return (await findTrackerOrNull(place, tasks)) ?? (hasBeads(place.repo, tasks) ? BEADS : null);
    default:
      return kind;
  }
}

/** What `bd` wrote down in a file is worked on by way of `bd` alone. */
export function refuseBeadsLines(path: string): void {
  if (!isBeadsLines(path)) return;
  throw new AppError('E_TASKS', `${path} can be read, and not worked on: bd keeps these issues`, {
    facts: ['bd 0.47 imports it by: bd import -i FILE', 'then, without --tasks: ralph run --tracker beads'],
    remedy: `bd import ${shellWord(path)}`,
  });
}

/** The settings of whoever looks for Beads before a task file, where nothing is named. */
export const withBeadsFirst = (repo: Repository, settings: Settings): Settings =>
  settings.tracker.kind === 'auto' && hasBeads(repo, settings.tasks)
    ? { ...settings, tracker: { ...settings.tracker, kind: 'beads' } }
    : settings;

const hasBeads = ({ root }: Repository, named: Settings['tasks']): boolean =>
  named === null && hasFolder(join(root, '.beads'));

const hasFolder = (path: string): boolean =>
  ifThere(() => lstatSync(path, { throwIfNoEntry: false }))?.isDirectory() === true;
