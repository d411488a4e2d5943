import { AppError } from '../../../core/model/errors.ts';
import { BEADS, GITHUB } from '../../../core/model/tasks.ts';
import type { Task } from '../../../core/model/task.ts';
import { parsePriority } from '../../../text/trackers/priority.ts';
import type { BdPlace } from '../../../world/trackers/beads/bd-program.ts';
import { openBeadsTracker } from '../../../world/trackers/beads/beads-tracker.ts';
import { addBead, markBead } from '../../../world/trackers/beads/edit-beads.ts';
import { readTracker } from '../../call/open-tasks.ts';
import { addToGithub, markOnGithub } from './edit-issue-tasks.ts';
import type { TaskId } from '../../../core/model/ids.ts';
import { taskId } from '../../../core/model/ids.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { addTask } from '../../../text/trackers/add-task.ts';
import type { Mark } from '../../../text/trackers/mark-task.ts';
import { markTask } from '../../../text/trackers/mark-task.ts';
import { trackerKindOf } from '../../../text/trackers/tracker-names.ts';
import { parseTracker } from '../../../text/trackers/tracker.ts';
import { editTaskFile } from '../../../world/trackers/edit-task-file.ts';
import { findTaskSource, refuseBeadsLines } from '../../../world/trackers/find-source.ts';
import { findOne } from '../../call/find-one.ts';
import type { Answer, Call } from '../../call/handler.ts';
import { openProject } from '../../call/project.ts';
import { DID, listOf, textOf } from './edited-task.ts';
import type { Added, Marked } from './edited-task.ts';
import { refuseInLoop } from './refuse-in-loop.ts';

/** Says of a task in the file that it is done, blocked or open. */
export async function markInFile(
  call: Call,
  command: string,
  mark: Mark,
  reason: string | null,
): Promise<Answer<Marked>> {
  refuseInLoop(call, command);
  const { repo, config } = await openProject(call);
  const path = await findTaskSource({ repo, target: config.target }, config.settings);
  refuseBeadsLines(path);
  if (path === BEADS) return markInBeads(call, { env: call.env, root: repo.root }, mark, reason);
  if (path === GITHUB) return markOnGithub(call, { repo, settings: config.settings, env: call.env }, mark, reason);
  const kind = trackerKindOf(path) ?? 'markdown';
  let marked: TaskId | null = null;
  editTaskFile(repo, config.target, path, (text) => {
    const { tasks } = parseTracker(kind, text);
    const { id } = findOne(tasks, (task) => [task.id], call.args[0] ?? '', 'task', 'ralph tasks list');
    marked = id;
    const edited = markTask(kind, text, id, mark, reason);
    if (edited.ok) return edited.text;
    if (edited.reason === 'already') return text;
    throw noPlace(path, `task ${id}`);
  });
  return {
    data: { tracker: path, task: marked, status: mark },
    says: [`${String(marked)} ${DID[mark]} in ${path}: commit this edit when you like`],
  };
}

/** Puts a task behind the last one of the file. */
export async function addToFile(call: Call): Promise<Answer<Added>> {
  const { repo, config } = await openProject(call);
  const path = await findTaskSource({ repo, target: config.target }, config.settings);
  const kind = trackerKindOf(path) ?? 'markdown';
  const title = call.args.join(' ').trim();
  if (title === '' || title.includes('\n'))
    throw new AppError('E_USAGE', 'a task needs a title of one line', {
      remedy: 'ralph tasks add "what should be done"',
    });
  refuseBeadsLines(path);
  if (path === BEADS) return addToBeads(call, { env: call.env, root: repo.root }, title);
  if (path === GITHUB) return addToGithub(call, { repo, settings: config.settings, env: call.env }, title);
  let added: TaskId | null = null;
  editTaskFile(repo, config.target, path, (text) => {
    const { tasks } = parseTracker(kind, text);
    const deps = (listOf(call.flags['dependsOn']) ?? []).map((name) =>
      taskId(findOne(tasks, (task) => [task.id], name, 'task', 'ralph tasks list').id),
    );
    const edited = addTask(kind, text, {
      title,
      body: textOf(call.flags['body']) ?? '',
      group: textOf(call.flags['group']),
      priority: textOf(call.flags['priority']),
      deps,
    });
    if (edited === null) throw noPlace(path, 'a new task');
    added = edited.id;
    return edited.text;
  });
  return {
    data: { tracker: path, task: added, title },
    says: [`added ${String(added)} to ${path}: commit this edit when you like`],
  };
}

async function markInBeads(call: Call, place: BdPlace, mark: Mark, reason: string | null): Promise<Answer<Marked>> {
  const { id } = await namedBead(place, call.args[0] ?? '');
  await markBead(place, id, mark, reason);
  return { data: { tracker: BEADS, task: id, status: mark }, says: [`${id} ${DID[mark]} in Beads`] };
}

async function addToBeads(call: Call, place: BdPlace, title: string): Promise<Answer<Added>> {
  const names = listOf(call.flags['dependsOn']) ?? [];
  const deps = await Promise.all(names.map(async (name) => (await namedBead(place, name)).id));
  const priority = textOf(call.flags['priority']);
  const level = priority === null ? null : parsePriority(priority);
  if (priority !== null && (level === null || !BEADS_LEVELS.includes(level)))
    throw new AppError('E_USAGE', `--priority ${priority}: Beads knows 0 to 4`, {
      remedy: 'ralph tasks add "what should be done" --priority 2',
    });
  const id = await addBead(place, {
    title,
    body: textOf(call.flags['body']) ?? '',
    group: textOf(call.flags['group']),
    priority: level,
    deps,
  });
  return { data: { tracker: BEADS, task: id, title }, says: [`added ${id} to Beads`] };
}

const BEADS_LEVELS: readonly number[] = [0, 1, 2, 3, 4];

async function namedBead(place: BdPlace, name: string): Promise<Task> {
  const { tasks } = await readTracker(openBeadsTracker(place));
  return findOne(tasks, (task) => [task.id], name, 'task', 'ralph tasks list');
}

const noPlace = (path: string, what: string): AppError =>
  new AppError('E_TASKS', `${path} has no clear place for ${what}`, {
    facts: ['nothing was changed'],
    remedy: `$EDITOR ${shellWord(path)}`,
  });
