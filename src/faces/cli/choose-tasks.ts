import { AppError } from '../../core/errors.ts';
import { shellWord } from '../../core/remedy.ts';
import { isChosen } from '../../core/tasks.ts';
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
  const choice = { groups, tasks: ids, priorityMax: priority === undefined ? null : numberIn(String(priority)) };
  if (!tasks.some((task) => isChosen(choice, task))) throw nothingFits(choice, tasks);
  return choice;
}

const ANY: TaskChoice = { groups: [], tasks: [], priorityMax: null };
const NAMED_MAX = 10;

/** Each of them fits something or could, all together nothing does: who reads this sees which one was too much. */
function nothingFits({ groups, tasks: ids, priorityMax }: TaskChoice, tasks: readonly Task[]): AppError {
  const given: readonly (readonly [string, TaskChoice])[] = [
    ...groups.map((group) => [`--group ${shellWord(group)}`, { ...ANY, groups: [group] }] as const),
    ...ids.map((id) => [`--task ${shellWord(id)}`, { ...ANY, tasks: [id] }] as const),
    ...(priorityMax === null ? [] : [[`--priority ${priorityMax}`, { ...ANY, priorityMax }] as const]),
  ];
  const facts = given.map(([flag, choice]) => {
    const fits = tasks.filter((task) => isChosen(choice, task)).map((task) => task.id);
    const more = fits.length > NAMED_MAX ? `, and ${fits.length - NAMED_MAX} more` : '';
    return fits.length === 0
      ? `${flag} fits none: ${mostUrgent(tasks)}`
      : `${flag} fits ${fits.slice(0, NAMED_MAX).join(', ')}${more}`;
  });
  const flags = given.map(([flag]) => flag).join(' ');
  return new AppError('E_USAGE', `no task fits ${flags}`, { facts, remedy: 'ralph tasks list' });
}

function mostUrgent(tasks: readonly Task[]): string {
  const known = tasks.flatMap(({ priority }) => (priority === null ? [] : [priority]));
  return known.length === 0 ? 'no task has a priority' : `the most urgent task has priority ${Math.min(...known)}`;
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
