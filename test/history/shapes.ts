import { readFileSync } from 'node:fs';
import type { Random } from '../sim/model/random.ts';

/** What one task of a backlog cannot be done without, and what spoils it, by the ids of others. */
export interface Shape {
  readonly id: string;
  readonly needs: readonly string[];
  readonly spoiledBy: readonly string[];
}

interface Shapes {
  readonly backlogs: readonly (readonly {
    readonly task: number;
    readonly direct: readonly number[];
    readonly spoiled_by: readonly number[];
  }[])[];
}

const name = (task: number): string => `t${task}`;

/** Four backlogs of thirty tasks each, as the commits of real projects depend on each other; oldest first. */
export const BACKLOGS: readonly (readonly Shape[])[] = (
  JSON.parse(readFileSync(new URL('shapes.json', import.meta.url), 'utf8')) as Shapes
).backlogs.map((tasks) =>
  tasks.map(({ task, direct, spoiled_by }) => ({
    id: name(task),
    needs: direct.map(name),
    spoiledBy: spoiled_by.map(name),
  })),
);

/** Tasks of which each needs the one before it. */
export const chainOf = (length: number): readonly Shape[] =>
  Array.from({ length }, (_, at) => ({ id: name(at), needs: at === 0 ? [] : [name(at - 1)], spoiledBy: [] }));

export function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = random.int(last + 1);
    [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
  }
  return mixed;
}
