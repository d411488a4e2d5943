import { taskIdOf } from '../../core/model/tasks.ts';
import { standing } from '../../core/views/standing.ts';
import { fitLine, raw, span, widthOf } from './line.ts';
import type { Line } from './line.ts';
import type { RunFacts } from './model.ts';
import type { Row } from './rows.ts';

const NAME_LEAST = 8;

/** Where the chosen row stands and the command that moves it on, in the words of every other face; null: it has none. */
export function standsLine({ state }: RunFacts, row: Row | null, columns: number): Line | null {
  const loop = row?.loop == null ? undefined : state.loops[row.loop];
  if (loop !== undefined) {
    const { state: at, reason, next } = standing(state, loop);
    const why = reason === null || reason === at ? '' : ` (${reason})`;
    return line(taskIdOf(state, loop.task), ` is ${at}${why};`, next, columns);
  }
  if (row === null || row.next === null) return null;
  return line(row.task ?? 'everything waits', ';', row.next, columns);
}

/** A command is pasted, so that a long name is cut before it. */
function line(name: string, stands: string, next: string, columns: number): Line {
  const rest = [raw(stands), raw(' next: '), span(next, 'bold')];
  return [raw(' '), ...fitLine([span(name)], Math.max(NAME_LEAST, columns - widthOf(rest) - 1)), ...rest];
}
