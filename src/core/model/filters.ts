import type { Filter, Task } from './task.ts';

/** Whether a task is chosen: of the filters of one key it fits one, and that for every key. Without a filter each is. */
export function fitsAll(filters: readonly Filter[], task: Task): boolean {
  const keys = new Set(filters.map(({ key }) => key));
  return [...keys].every((key) => filters.some((filter) => filter.key === key && fits(filter, task)));
}

function fits({ key, sign, value }: Filter, task: Task): boolean {
  switch (key) {
    case 'id':
      return task.id === value;
    case 'group':
      return task.group === value;
    case 'story':
      return task.story === value;
    case 'epic':
      return task.epic === value || task.epics?.includes(value) === true;
    case 'label':
      return task.labels?.includes(value) === true;
    case 'milestone':
      return task.milestone === value;
    case 'assignee':
      return task.assignees?.includes(value) === true;
    case 'priority':
      if (task.priority === null) return false;
      return sign === '<=' ? task.priority <= Number(value) : task.priority === Number(value);
  }
}

/** The values of a key that tasks have, each once, in the order of the file. */
export function valuesOf(key: Filter['key'], tasks: readonly Task[]): readonly string[] {
  const all = tasks.flatMap((task) => valuesIn(key, task));
  return [...new Set(all.filter((value) => value != null).map(String))];
}

function valuesIn(key: Filter['key'], task: Task): readonly (string | number | null | undefined)[] {
  switch (key) {
    case 'label':
      return task.labels ?? [];
    case 'assignee':
      return task.assignees ?? [];
    case 'epic':
      return task.epics ?? [task.epic];
    default:
      return [task[key]];
  }
}

export const describeFilter = ({ key, sign, value }: Filter): string => `${key}${sign}${value}`;
