import { AppError, EXIT } from '../../../core/model/errors.ts';
import type { ExitCode } from '../../../core/model/errors.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { newestLoops } from '../../../core/plan/newest-loops.ts';
import { taskKey } from '../../../core/model/ids.ts';
import type { TaskKey } from '../../../core/model/ids.ts';
import { fitsAll } from '../../../core/model/filters.ts';
import { findLoop } from '../../call/find-loop.ts';
import type { Answer, Call } from '../../call/handler.ts';
import { openTasks } from '../../call/open-tasks.ts';
import type { Project } from '../../call/project.ts';
import { chooseTasks, hasFilters } from './choose-tasks.ts';

/** The keys of the tasks that filters choose; null: no filter is given, and ids say what is meant. */
export async function filteredTasks(call: Call, project: Project, state: State): Promise<readonly TaskKey[] | null> {
  if (!hasFilters(call)) return null;
  if (call.args.length > 0)
    throw new AppError('E_USAGE', 'ids and filters exclude each other', {
      facts: ['an id names one loop or task, a filter chooses several'],
      remedy: `${typedWords(call)} --help`,
    });
  const { tracker, state: read } = await openTasks(project, state);
  const tasks = read.trackers[tracker]?.tasks ?? [];
  const filters = chooseTasks(call, tasks);
  return tasks.filter((task) => fitsAll(filters, task)).map(({ id }) => taskKey(tracker, id));
}

/** Every loop that ids name, or the newest ones of the tasks that filters choose, as far as there is something to do. Nothing named: null. */
export async function chosenLoops(
  call: Call,
  project: Project,
  state: State,
  isOpen: (loop: Loop) => boolean,
): Promise<readonly Loop[] | null> {
  const keys = await filteredTasks(call, project, state);
  if (keys === null) {
    const named = call.args.map((id) => findLoop(state, id));
    return named.length === 0 ? null : [...new Map(named.map((loop) => [loop.id, loop])).values()];
  }
  const newest = newestLoops(state);
  return keys.flatMap((key) => {
    const loop = newest.get(key);
    return loop !== undefined && isOpen(loop) ? [loop] : [];
  });
}

/** An act that nothing is named for would be one on everything. */
export function requireChoice(call: Call): void {
  if (call.args.length > 0 || hasFilters(call)) return;
  const typed = typedWords(call);
  throw new AppError('E_USAGE', `${typed} needs an id or a filter`, {
    facts: [
      'an id: that of a task or loop, or a unique beginning of it',
      'a filter: --only KEY=VALUE, or --story, --epic, --group, --label, --priority',
    ],
    remedy: `${typed} --help`,
  });
}

const typedWords = ({ words }: Call): string =>
  ['ralph', ...words.filter((word) => !word.startsWith('-')).slice(0, 2)].join(' ');

export const NOTHING_FITS = 'no matching task has anything to do here';

interface Refused {
  readonly id: string;
  readonly error: { readonly code: string; readonly message: string; readonly remedy: string | null };
}

/** Of one the answer itself, of several one for each. */
export type OfEach<Data extends object> = Data | { readonly results: readonly (Data | Refused)[] };

/** One after the other: what refuses one keeps none of the others, and decides how the whole ends. */
export async function actOnEach<Data extends object>(
  call: Call,
  ids: readonly string[],
  act: (id: string) => Promise<Answer<Data>>,
): Promise<Answer<OfEach<Data>>> {
  const [first] = ids;
  if (ids.length === 1 && first !== undefined) return act(first);
  const results: (Data | Refused)[] = [];
  let exit: ExitCode = EXIT.ok;
  const failed = (code: ExitCode): void => {
    if (exit === EXIT.ok) exit = code;
  };
  for (const id of ids)
    try {
      const answer = await act(id);
      if (answer.data !== null) results.push(answer.data);
      for (const line of answer.says ?? []) call.out.say(line);
      failed(answer.exit ?? EXIT.ok);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      failed(error.exit);
      const { code, message, remedy } = error;
      results.push({ id, error: { code, message, remedy } });
      call.out.say(`${id}: ${message}${remedy === null ? '' : `. fix: ${remedy}`}`);
    }
  const says = ids.length === 0 ? [NOTHING_FITS] : [];
  return { data: { results }, says, exit };
}
