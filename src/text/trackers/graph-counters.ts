import type { Edit } from './edits.ts';
import { applyEdits } from './edits.ts';
import { textAt, isGraph } from './graph.ts';
import { placesOf } from './places.ts';
import type { Scalar, Table, Value } from './value.ts';
import { readYamlValue } from './yaml-value.ts';

/** A number in a graph that follows from its nodes. */
interface Counter {
  /** Where it is: `by_status ready`. */
  readonly name: string;
  readonly value: Scalar;
  readonly counted: number;
}

const TOTALS = new Map([
  ['total_tasks', 'nodes'],
  ['total_stories', 'stories'],
  ['total_milestones', 'milestones'],
]);
const BY_FIELD = new Map([
  ['by_priority', 'priority'],
  ['by_milestone', 'milestone'],
]);
const BY_STATUS = 'by_status';

/** Every counter of `meta`, with what it should be once `done` is complete. */
function countersOf(graph: Table, done: Table | null): readonly Counter[] {
  const meta = graph.entries.get('meta')?.value;
  if (meta?.kind !== 'table') return [];
  const nodes = tablesAt(graph, 'nodes');
  return [...meta.entries].flatMap(([name, { value }]): readonly Counter[] => {
    const list = TOTALS.get(name);
    if (list !== undefined && value.kind === 'scalar') return [{ name, value, counted: tablesAt(graph, list).length }];
    if (value.kind !== 'table') return [];
    const field = BY_FIELD.get(name);
    if (name !== BY_STATUS && field === undefined) return [];
    const keyOf = (node: Table): string =>
      field === undefined
        ? statusWord(node === done ? 'complete' : (textAt(node, 'status') ?? 'pending'))
        : (textAt(node, field) ?? '');
    const counts = new Map<string, number>();
    for (const key of nodes.map(keyOf)) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...value.entries].flatMap(([key, entry]) =>
      entry.value.kind === 'scalar'
        ? [
            {
              name: `${name} ${key}`,
              value: entry.value,
              counted: counts.get(field === undefined ? statusWord(key) : key) ?? 0,
            },
          ]
        : [],
    );
  });
}

const statusWord = (text: string): string => text.trim().toLowerCase().replaceAll(/[ -]/g, '_');

const tablesAt = (graph: Table, name: string): readonly Table[] => {
  const value = graph.entries.get(name)?.value;
  return value?.kind === 'list' ? value.items.filter((item: Value): item is Table => item.kind === 'table') : [];
};

const isOfStatus = ({ name }: Counter): boolean => name.startsWith(`${BY_STATUS} `);
const isRight = ({ value, counted }: Counter): boolean => value.text === String(counted);

/** What changes in the counters of a graph when one of its nodes is complete. */
export const countEdits = (graph: Table, done: Table): readonly Edit[] =>
  countersOf(graph, done).flatMap((counter) =>
    isOfStatus(counter) && !isRight(counter) ? [{ ...spanOf(counter.value), text: String(counter.counted) }] : [],
  );

const spanOf = ({ start, end }: Scalar): { readonly start: number; readonly end: number } => ({ start, end });

/** The text with every counter at 0, so that two versions do not differ in what only follows from their nodes. */
export const withoutCounts = (text: string): string =>
  applyEdits(
    text,
    readCounters(text).map(({ value }) => ({ ...spanOf(value), text: '0' })),
  );

/**
 * The text with its counters as its nodes have them. One that was wrong in `like` counts something we do not know, and is as it was
 * there; but for those of the status, which a tick changes.
 */
export function recount(text: string, like: string): string {
  const known = new Map(readCounters(like).map((counter) => [counter.name, counter]));
  return applyEdits(
    text,
    readCounters(text).map((counter) => {
      const before = known.get(counter.name);
      const isOurs = isOfStatus(counter) || before === undefined || isRight(before);
      return { ...spanOf(counter.value), text: isOurs ? String(counter.counted) : (before.value.text ?? '0') };
    }),
  );
}

function readCounters(text: string): readonly Counter[] {
  const { value } = readYamlValue(text, placesOf(text));
  return value !== null && isGraph(value) ? countersOf(value, null) : [];
}
