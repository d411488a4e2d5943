import type { Task } from '../../core/model/task.ts';

const NAMED_MAX = 10;

/** What one version of a task list says and another does not, by the names of the tasks; null: they say the same. */
export function describeDifference(
  { tasks, on }: { readonly tasks: readonly Task[]; readonly on: string },
  others: readonly Task[],
  elsewhere: string,
): string | null {
  const known = new Map(tasks.map((task) => [task.id, task]));
  const theirs = new Map(others.map((task) => [task.id, task]));
  const inBoth = tasks.filter((task) => theirs.has(task.id));
  const isDone = (task: Task | undefined): boolean => task?.status === 'done';
  const parts = [
    named(
      others.filter((task) => !known.has(task.id)),
      `only on ${elsewhere}`,
    ),
    named(
      tasks.filter((task) => !theirs.has(task.id)),
      `only on ${on}`,
    ),
    named(
      inBoth.filter((task) => isDone(task) && !isDone(theirs.get(task.id))),
      `done only on ${on}`,
    ),
    named(
      inBoth.filter((task) => !isDone(task) && isDone(theirs.get(task.id))),
      `done only on ${elsewhere}`,
    ),
    named(
      inBoth.filter((task) => essence(task) !== essence(theirs.get(task.id))),
      'written differently',
    ),
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join('; ');
}

function named(tasks: readonly Task[], how: string): string | null {
  if (tasks.length === 0) return null;
  const more = tasks.length > NAMED_MAX ? ` and ${tasks.length - NAMED_MAX} more` : '';
  const names = tasks.slice(0, NAMED_MAX).map((task) => task.id);
  return `${how}: ${names.join(', ')}${more}`;
}

/** All that tells somebody what to do. */
function essence(task: Task | undefined): string {
  if (task === undefined) return '';
  const { title, body, acceptance, group, deps, priority, blockedReason } = task;
  return JSON.stringify([title, body, acceptance, group, deps, priority, blockedReason]);
}
