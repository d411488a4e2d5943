import { createHash } from 'node:crypto';
import { AppError } from '../../core/model/errors.ts';
import type { Event } from '../../core/model/events.ts';
import { taskKey } from '../../core/model/ids.ts';
import type { State } from '../../core/model/model.ts';
import { loopsOf } from '../../core/model/model.ts';
import { tasksRead } from '../../core/plan/reconcile.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { fold } from '../../core/fold/fold.ts';
import type { UpstreamTasks } from '../../core/model/task.ts';
import { GITHUB, isFile, isOutside, isPromptTracker, landedAndOpen, promptTracker } from '../../core/model/tasks.ts';
import { findTaskSource, findTaskSourceOrNull } from '../../world/trackers/find-source.ts';
import { otherTrackers } from '../../world/trackers/find-tracker.ts';
import { plainView } from '../../world/git/run/view.ts';
import { openTaskText } from '../../world/trackers/task-text.ts';
import type { Tracker } from '../../world/contract/tracker.ts';
import type { Project } from './project.ts';

export interface OpenTasks {
  readonly tracker: string;
  readonly state: State;
  /** What the branch that somebody stands on says otherwise. */
  readonly warnings: readonly string[];
}

/** The state with the tasks as the list tells them now. An unchanged one is not parsed again: status must be cheap. */
export async function openTasks(project: Project, state: State): Promise<OpenTasks> {
  return withTracker(project, state, await trackerOrPrompts(project, () => state));
}

/** The same, for who has something to say where there is no task file: then the tracker is that of prompts. */
export async function openTasksIfAny(project: Project, state: State): Promise<OpenTasks> {
  const { repo, config } = project;
  const found = await findTaskSourceOrNull({ repo, target: config.target }, config.settings);
  return withTracker(project, state, found ?? promptTracker(''));
}

async function withTracker(project: Project, state: State, tracker: string): Promise<OpenTasks> {
  if (isPromptTracker(tracker)) return { tracker, state, warnings: [] };
  const { repo, config } = project;
  const others = await otherTrackers({ repo, target: config.target }, config.settings.tasks, tracker);
  const known = isFile(tracker) ? state.trackers[tracker]?.digest : undefined;
  if (known !== undefined && known === (await digestOf(project, tracker)))
    return { tracker, state: await withoutTakenBack(project, state, tracker), warnings: others };
  // A host that works reads the issues of a forge anyway: nobody spends requests beside it.
  if (tracker === GITHUB && state.trackers[tracker] !== undefined && hasHost(state))
    return { tracker, state: await withoutTakenBack(project, state, tracker), warnings: others };
  const read = await readOrKnown(project, state, tracker);
  if (typeof read === 'string') return { tracker, state, warnings: [...others, read] };
  const now = await withoutTakenBack(project, withTasks(state, read), tracker);
  return { tracker, state: now, warnings: [...others, ...read.warnings] };
}

const hasHost = ({ hosts }: State): boolean => Object.values(hosts).some(({ state }) => state === 'up');

/** What a forge that does not answer said last is better than nothing, for who only looks. */
async function readOrKnown(project: Project, state: State, tracker: string): Promise<ReadTracker | string> {
  try {
    return await readTracker(await openSource(project, tracker));
  } catch (error) {
    if (!(error instanceof AppError) || tracker !== GITHUB || state.trackers[tracker] === undefined) throw error;
    return `${error.message}; these are the tasks as they were read last`;
  }
}

/** Whoever keeps the tasks, for one look. */
export async function openSource(
  { repo, config: { settings, target } }: Pick<Project, 'repo' | 'config'>,
  path: string,
): Promise<Tracker> {
  if (isOutside(path)) {
    const { openOutside } = await import('./open-outside.ts');
    return openOutside(path, { repo, settings, env: process.env, isHost: false });
  }
  const { openTracker } = await import('../../world/trackers/tracker-file.ts');
  return openTracker(repo, target?.branch ?? null, path);
}

/** Where only single loops work there is no task file, and nobody misses one. The state is asked for only then. */
async function trackerOrPrompts(
  { repo, config: { settings, target } }: Project,
  stateOf: () => State | Promise<State>,
): Promise<string> {
  const found = await findTaskSourceOrNull({ repo, target }, settings);
  if (found !== null) return found;
  const hasPrompts = Object.keys((await stateOf()).trackers).some(isPromptTracker);
  return hasPrompts ? promptTracker('') : findTaskSource({ repo, target }, settings);
}

/** What a host would find open again is shown so. */
export async function withoutTakenBack(project: Project, state: State, tracker: string): Promise<State> {
  const events = [...(await takenBack(project, state, tracker)), ...(await freed(project, state, tracker))];
  return events.length === 0 ? state : fold(state, { seq: state.seq, at: 0, by: 'reader', events });
}

async function freed({ repo }: Project, state: State, tracker: string): Promise<readonly Event[]> {
  if (!loopsOf(state).some(({ phase }) => phase.at === 'parked')) return [];
  const { freedByHand } = await import('../../world/repair/removed-by-hand.ts');
  return (await freedByHand(repo, state, tracker)).map((task) => ({ type: 'task-reset', task }));
}

async function takenBack({ repo, config }: Project, state: State, tracker: string): Promise<readonly Event[]> {
  const target = config.target?.branch;
  const tasks = state.trackers[tracker]?.tasks ?? [];
  const open = target === undefined ? [] : landedAndOpen(state, tracker, { tasks, target });
  if (target === undefined || open.length === 0) return [];
  const { findTakenBack } = await import('../../world/landing/taken-back.ts');
  const found = isFile(tracker)
    ? await findTakenBack({ repo, view: plainView(repo), target }, tracker, open)
    : open.filter(({ task }) => state.landed[taskKey(tracker, task)]?.isClosed === true);
  return found.map(({ task }) => ({ type: 'task-reset', task: taskKey(tracker, task) }) as const);
}

export interface ReadTracker {
  readonly path: string;
  readonly digest: string;
  readonly tasks: State['trackers'][string]['tasks'];
  readonly warnings: readonly string[];
  readonly upstream?: UpstreamTasks | null;
}

/** Reads the tracker or throws everything that is wrong with it at once. */
export async function readTracker(file: Tracker): Promise<ReadTracker> {
  const seen = await file.look();
  if (seen === null || 'problems' in seen) {
    const problems = seen === null ? [] : seen.problems;
    throw new AppError(
      'E_TASKS',
      `${file.path} cannot be used: ${problems.length === 1 ? 'one problem' : `${problems.length} problems`}; nothing was started`,
      { facts: problems, remedy: `$EDITOR ${shellWord(file.path)}` },
    );
  }
  return { path: file.path, warnings: [], ...seen };
}

export function withTasks(state: State, read: ReadTracker): State {
  return fold(state, {
    seq: state.seq,
    at: 0,
    by: 'reader',
    events: tasksRead(state, read),
  });
}

/** Null: it has to be looked at more closely, to tell what is wrong or what another branch says. */
async function digestOf({ repo, config: { target } }: Project, path: string): Promise<string | null> {
  const list = openTaskText(repo, target?.branch ?? null, path);
  const standing = await list.stand();
  if (standing.head !== null && standing.checkout !== repo.worktree) return null;
  try {
    return createHash('sha256')
      .update(await list.read(standing))
      .digest('hex');
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
