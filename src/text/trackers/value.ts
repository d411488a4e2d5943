import type { Problem } from '../../core/model/task.ts';

/** A piece of a JSON or YAML file with its offsets, so that edits can be made in place. */
interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Scalar extends Span {
  readonly kind: 'scalar';
  /** As written: a number or a date stays the very characters of the file. Null for null. */
  readonly text: string | null;
}
export interface List extends Span {
  readonly kind: 'list';
  readonly items: readonly Value[];
}
export interface Table extends Span {
  readonly kind: 'table';
  /** In file order. A map, because a key may be called `__proto__`. */
  readonly entries: ReadonlyMap<string, Entry>;
}
export type Value = Scalar | List | Table;

export interface Entry {
  readonly key: Span;
  readonly value: Value;
}

/** The first of several spellings of a key that says something. */
export function entryOf(table: Table, names: readonly string[]): Entry | null {
  let empty: Entry | null = null;
  for (const name of names) {
    const entry = table.entries.get(name);
    if (entry === undefined) continue;
    if (entry.value.kind !== 'scalar' || entry.value.text !== null) return entry;
    empty ??= entry;
  }
  return empty;
}

/** What a whole file comes to; without a value: it cannot be read. */
export type WholeValue =
  | { readonly value: Value; readonly problems: readonly Problem[] }
  | { readonly value: null; readonly problems: readonly Problem[] };
