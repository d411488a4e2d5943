import type { Failpoint } from '../../../src/world/os/failpoint.ts';
import { FAILPOINTS } from '../../../src/world/os/failpoint.ts';
import type { Action, Cell, CellResult } from './run-cell.ts';
import { runCell } from './run-cell.ts';
import { ELSEWHERE } from './settings.ts';
import type { Programs } from './start.ts';

export interface MatrixOptions {
  readonly programs: Programs;
  /** Points whose name begins with this; empty: all. */
  readonly only: string;
  readonly actions: readonly Action[];
  readonly parallel: number;
  readonly onCell: (result: CellResult, done: number, of: number) => void;
}

export const ACTIONS: readonly Action[] = ['kill', 'throw', 'enospc', 'stop'];

/** Every point of the list that a run comes by. */
export const MATRIX_POINTS: readonly Failpoint[] = FAILPOINTS.filter(
  (point) => !ELSEWHERE.some((pattern) => pattern.test(point)),
);

/** What is reached all the time is met at the start, where little is there, and in the middle of the work. */
const arrivalsOf = (point: Failpoint): readonly number[] =>
  /^(log\.append|mutex\.(tmp|linked|released))/.test(point) ? [1, 6] : [1];

/** Every point with every action, so many at a time. */
export async function runMatrix(options: MatrixOptions): Promise<readonly CellResult[]> {
  const { programs, only, actions, parallel, onCell } = options;
  const cells: readonly Cell[] = MATRIX_POINTS.filter((point) => point.startsWith(only)).flatMap((point) =>
    actions.flatMap((action) => arrivalsOf(point).map((nth) => ({ point, action, nth }))),
  );
  const results: CellResult[] = [];
  const waiting = [...cells];
  const work = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
      const result = await runCell(programs, cell);
      results.push(result);
      onCell(result, results.length, cells.length);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return results;
}
