import { AppError } from '../../../core/model/errors.ts';
import { describeFilter, fitsAll, valuesOf } from '../../../core/model/filters.ts';
import { taskKey } from '../../../core/model/ids.ts';
import type { State } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { FILTER_KEYS } from '../../../core/model/task.ts';
import type { Filter, Task } from '../../../core/model/task.ts';
import { nearest } from '../../../text/config/nearest.ts';
import { parseFilter } from '../../../text/trackers/parse-filter.ts';
import { findOne } from '../../call/find-one.ts';
import type { Call } from '../../call/handler.ts';

const NAMED_MAX = 10;
const LIST: { readonly remedy: string } = { remedy: 'ralph tasks list' };

/** Which tasks a person wants, by `--only KEY=VALUE`, by the flag of a key, or else by the setting; empty: all. */
export function chooseTasks(call: Call, tasks: readonly Task[], setting: readonly string[] = []): readonly Filter[] {
  const given = filtersIn(call);
  const filters = (given.length > 0 ? given : setting.map((text) => filterIn(`tracker.only ${text}`, text))).map(
    (filter) => known(filter, tasks),
  );
  if (filters.length > 0 && !tasks.some((task) => fitsAll(filters, task))) throw nothingFits(filters, tasks);
  return filters;
}

/** The state with the tasks that are chosen and their loops alone, for whoever only looks. */
export function withChosen(call: Call, state: State, tracker: string, setting: readonly string[] = []): State {
  const list = state.trackers[tracker];
  const filters = list === undefined ? [] : chooseTasks(call, list.tasks, setting);
  if (list === undefined || filters.length === 0) return state;
  const tasks = list.tasks.filter((task) => fitsAll(filters, task));
  const keys = new Set(tasks.map(({ id }) => taskKey(tracker, id)));
  const loops = Object.entries(state.loops).filter(([, loop]) => keys.has(loop.task));
  return {
    ...state,
    trackers: { ...state.trackers, [tracker]: { ...list, tasks } },
    loops: Object.fromEntries(loops),
  };
}

export const hasFilters = (call: Call): boolean => filtersIn(call).length > 0;

/** What the flags say, before anything is known of the tasks. */
function filtersIn({ flags }: Call): readonly Filter[] {
  const ofKeys = FILTER_KEYS.flatMap((key) => {
    const flag = key === 'id' ? 'task' : key;
    return listed(flags[flag]).map((value) => filterIn(`--${flag} ${value}`, `${key}=${value}`));
  });
  return [...listed(flags['only']).map((text) => filterIn(`--only ${text}`, text)), ...ofKeys];
}

function filterIn(said: string, text: string): Filter {
  const parsed = parseFilter(text);
  if (typeof parsed !== 'string') return parsed;
  const isSetting = said.startsWith('tracker.only');
  throw new AppError(isSetting ? 'E_CONFIG' : 'E_USAGE', `${said}: ${parsed}`, {
    remedy: isSetting ? 'ralph config get tracker.only' : 'ralph tasks list --only priority=1',
  });
}

/** A filter that no task could ever fit is a slip. The id may be a unique beginning. */
function known(filter: Filter, tasks: readonly Task[]): Filter {
  const { key, value } = filter;
  if (key === 'id') return { ...filter, value: findOne(tasks, (task) => [task.id], value, 'task', LIST.remedy).id };
  const values = valuesOf(key, tasks);
  if (key === 'priority' || values.includes(value)) return filter;
  const close = nearest(value, values);
  const guess = close === null ? '' : `; did you mean ${close}?`;
  throw new AppError('E_UNKNOWN_ID', `no task has the ${key} ${JSON.stringify(value)}${guess}`, {
    facts: [values.length === 0 ? `no task has any ${key}` : `known: ${values.join(', ')}`],
    ...LIST,
  });
}

/** Each of them fits something or could, all together nothing does: the list shows which one is too much. */
function nothingFits(filters: readonly Filter[], tasks: readonly Task[]): AppError {
  const facts = filters.map((filter) => {
    const fitting = tasks.filter((task) => fitsAll([filter], task)).map((task) => task.id);
    const more = fitting.length > NAMED_MAX ? `, and ${fitting.length - NAMED_MAX} more` : '';
    if (fitting.length > 0) return `${describeFilter(filter)} fits ${fitting.slice(0, NAMED_MAX).join(', ')}${more}`;
    const values = valuesOf(filter.key, tasks);
    return `${describeFilter(filter)} fits none: ${values.length === 0 ? `no task has any ${filter.key}` : `known: ${values.toSorted().join(', ')}`}`;
  });
  const said = filters.map((filter) => `--only ${shellWord(describeFilter(filter))}`).join(' ');
  return new AppError('E_USAGE', `no task fits ${said}`, { facts, ...LIST });
}

const listed = (value: Call['flags'][string] | undefined): readonly string[] =>
  Array.isArray(value) ? (value as readonly string[]) : [];
