import type { Loop, State } from '../model/model.ts';
import { taskIdOf } from '../model/tasks.ts';

/** What will not merge, by the names of tasks. */
export interface ForeseenConflict {
  /** null: with main. */
  readonly task: string | null;
  readonly paths: readonly string[];
}

/** What a loop will conflict with if everybody goes on like this. Who has ended since is left out. */
export function foreseenOf(state: State, loop: Loop): readonly ForeseenConflict[] {
  return (state.foreseen[loop.id] ?? []).flatMap(({ with: id, paths }): readonly ForeseenConflict[] => {
    if (id === null) return [{ task: null, paths }];
    const other = state.loops[id];
    return other === undefined ? [] : [{ task: taskIdOf(state, other.task), paths }];
  });
}

export const describeForeseen = ({ task, paths }: ForeseenConflict): string =>
  `will conflict with ${task ?? 'main'} in ${paths.join(', ')}`;
