import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/errors.ts';
import type { State } from '../../core/model.ts';
import { shellWord } from '../../core/remedy.ts';
import { fold } from '../../core/step.ts';
import { isPromptTracker, promptTracker } from '../../core/tasks.ts';
import { findTracker, findTrackerOrNull } from '../../world/find-tracker.ts';
import type { TrackerFile } from '../../world/world.ts';
import type { Project } from './project.ts';

export interface OpenTasks {
  readonly tracker: string;
  readonly state: State;
}

/** The state with the tasks as the file tells them now. An unchanged file is not parsed again: status must be cheap. */
export async function openTasks(project: Project, state: State): Promise<OpenTasks> {
  const tracker = await trackerOrPrompts(project, () => state);
  if (isPromptTracker(tracker)) return { tracker, state };
  if (
    state.trackers[tracker] !== undefined &&
    state.trackers[tracker].digest === digestOf(join(project.repo.root, tracker))
  )
    return { tracker, state };
  const { openTracker } = await import('../../world/tracker-file.ts');
  return { tracker, state: withTasks(state, readTracker(openTracker(project.repo.root, tracker))) };
}

/** Where only single loops work there is no task file, and nobody misses one. The state is asked for only then. */
export async function trackerOrPrompts(
  { repo, config: { settings } }: Project,
  stateOf: () => State | Promise<State>,
): Promise<string> {
  const found = findTrackerOrNull(repo.root, settings.tasks);
  if (found !== null) return found;
  const hasPrompts = Object.keys((await stateOf()).trackers).some(isPromptTracker);
  return hasPrompts ? promptTracker('') : findTracker(repo.root, settings.tasks);
}

export interface ReadTracker {
  readonly path: string;
  readonly digest: string;
  readonly tasks: State['trackers'][string]['tasks'];
}

/** Reads the tracker or throws everything that is wrong with it at once. */
export function readTracker(file: TrackerFile): ReadTracker {
  const seen = file.look();
  if (seen === null || 'problems' in seen) {
    const problems = seen === null ? [] : seen.problems;
    throw new AppError(
      'E_TASKS',
      `${file.path} cannot be used: ${problems.length === 1 ? 'one problem' : `${problems.length} problems`}; nothing was started`,
      { facts: problems, remedy: `$EDITOR ${shellWord(file.path)}` },
    );
  }
  return { path: file.path, ...seen };
}

export function withTasks(state: State, read: ReadTracker): State {
  return fold(state, {
    seq: state.seq,
    at: 0,
    by: 'reader',
    events: [{ type: 'tasks-read', tracker: read.path, digest: read.digest, tasks: read.tasks }],
  });
}

function digestOf(file: string): string | null {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null;
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
