import type { TaskId } from '../../core/model/ids.ts';
import type { Task } from '../../core/model/task.ts';
import { takeApart, withFieldsOf } from './own-fields.ts';
import type { TakenApart } from './own-fields.ts';
import type { TrackerKind } from './tracker-names.ts';
import { withoutBom } from './tracker.ts';

export interface BranchEdits {
  /** The tracker with what counts of the branch's edits: words around the tasks, and below its own one. */
  readonly text: string;
  /** What does not count. `fields`: how far tasks are. `tasks`: which there are, and what they say. */
  readonly dropped: 'fields' | 'tasks' | null;
  /** Whose fields it changed. */
  readonly ids: readonly TaskId[];
}

/**
 * What the branch of a task made of the tracker it began with. How far a task is says its landing, and which tasks there are says
 * the user: neither is an agent's to change, and neither is work.
 */
export function branchEdits(kind: TrackerKind, fork: string, branch: string, own: TaskId): BranchEdits {
  const [before, after] =
    branch === fork ? [null, null] : [takeApart(kind, withoutBom(fork)), takeApart(kind, withoutBom(branch))];
  if (before === null) return { text: fork, dropped: null, ids: [] };
  if (after === null) return { text: fork, dropped: 'tasks', ids: [] };
  const ids = restated(before, after);
  const dropped = ids.length === 0 ? null : 'fields';
  if (after.rest === before.rest) return { text: fork, dropped, ids };
  const text = withFieldsOf(withoutBom(branch), after, withoutBom(fork), before);
  const kept = takeApart(kind, text);
  return kept !== null && isSameList(before.tasks, kept.tasks, own)
    ? { text: fork.slice(0, fork.length - withoutBom(fork).length) + text, dropped, ids }
    : { text: fork, dropped: 'tasks', ids };
}

/** Tasks that are elsewhere on their way than before. */
function restated(before: TakenApart, after: TakenApart): readonly TaskId[] {
  const was = new Map(before.tasks.map((task) => [task.id, task]));
  return after.tasks
    .filter(({ id, status, blockedReason }) => {
      const then = was.get(id);
      return then !== undefined && (then.status !== status || then.blockedReason !== blockedReason);
    })
    .map((task) => task.id);
}

/** The same tasks, saying the same; only below its own one may the branch have written something. */
function isSameList(before: readonly Task[], after: readonly Task[], own: TaskId): boolean {
  const said = (task: Task): string => {
    const { id, title, line: _line, ...more } = task;
    return JSON.stringify(id === own ? [id, title] : [id, title, more]);
  };
  return before.length === after.length && before.every((task, at) => said(task) === said(after[at] as Task));
}
