import { AppError } from '../../core/errors.ts';
import type { Task, TaskChoice } from '../../core/task.ts';
import { findOne } from './find-one.ts';
import type { Call } from './handler.ts';

/** Which tasks `--group`, `--task` and `--priority` leave; null: none of them was given. */
export function chooseTasks({ flags }: Call, tasks: readonly Task[]): TaskChoice | null {
  const groups = listed(flags['group']);
  const named = listed(flags['task']);
  const priority = flags['priority'];
  if (groups.length === 0 && named.length === 0 && priority === undefined) return null;
  const known = new Set(tasks.map((task) => task.group));
  for (const group of groups) if (!known.has(group)) throw unknownGroup(group, known);
  const ids = named.map((id) => findOne(tasks, (task) => [task.id], id, 'task', 'ralph tasks list').id);
  return { groups, tasks: ids, priorityMax: priority === undefined ? null : numberIn(String(priority)) };
}

const listed = (value: Call['flags'][string] | undefined): readonly string[] =>
  Array.isArray(value) ? (value as readonly string[]) : [];

function unknownGroup(group: string, known: ReadonlySet<string | null>): AppError {
  const names = [...known].filter((name) => name !== null);
  return new AppError('E_UNKNOWN_ID', `no task is in a group called ${JSON.stringify(group)}`, {
    facts: [names.length === 0 ? 'no task is in any group' : `groups: ${names.join(', ')}`],
    remedy: 'ralph tasks list',
  });
}

function numberIn(text: string): number {
  const value = Number(text);
  if (/^-?\d+(\.\d+)?$/.test(text) && Number.isFinite(value)) return value;
  throw new AppError('E_USAGE', `--priority ${text}: not a number`, { remedy: 'ralph run --priority 1' });
}
