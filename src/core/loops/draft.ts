import type { Loop, State } from '../model/model.ts';

/** Made a moment ago, and not handed out yet. */
export type Draft<T> = { -readonly [Key in keyof T]: T[Key] };

/** Tables and lists that the fold under way has made and nobody else has seen: it writes into them instead of copying once more. */
let own: WeakSet<object> | null = null;

/**
 * Within `act` a state may be changed by the next one made from it, so only the last one may be handed out. What was there before
 * `act` is never written into.
 */
export function drafting<T>(act: () => T): T {
  const before = own;
  own = new WeakSet();
  try {
    return act();
  } finally {
    own = before;
  }
}

/** A table with one entry changed. */
export function withEntry<Key extends string, Value>(
  table: Readonly<Record<Key, Value>>,
  key: Key,
  value: Value,
): Readonly<Record<Key, Value>> {
  if (own?.has(table) === true) {
    (table as Record<Key, Value>)[key] = value;
    return table;
  }
  const copy = { ...table, [key]: value };
  own?.add(copy);
  return copy;
}

/** A list with one more item, of which the newest so many stay. */
export function withItem<Item>(list: readonly Item[], item: Item, max: number): readonly Item[] {
  if (own?.has(list) === true) {
    const items = list as Item[];
    items.push(item);
    if (items.length > max) items.shift();
    return items;
  }
  const copy = [...(list.length < max ? list : list.slice(list.length + 1 - max)), item];
  own?.add(copy);
  return copy;
}

/** The state with one loop changed. */
export const withLoop = (state: State, loop: Loop): State => ({
  ...state,
  loops: withEntry(state.loops, loop.id, loop),
});
