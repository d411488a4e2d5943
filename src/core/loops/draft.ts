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
  const open = openIn.get(table);
  if (own?.has(table) === true) {
    (table as Record<Key, Value>)[key] = value;
    if (open !== undefined) noteOpen(open, key, value);
    return table;
  }
  const copy = { ...table, [key]: value };
  own?.add(copy);
  if (open !== undefined) openIn.set(copy, noteOpen(new Map(open), key, value));
  return copy;
}

/** The loops of a table that are not over, in its order: what has landed is many after a while, and nobody asks for it. */
const openIn = new WeakMap<object, Map<string, unknown>>();

const isOver = ({ phase, worktreeState }: Loop): boolean => phase.at === 'landed' && worktreeState !== 'made';

/** What has landed never comes back, so the order stays that of the table. */
function noteOpen(open: Map<string, unknown>, key: string, value: unknown): Map<string, unknown> {
  if (isOver(value as Loop)) open.delete(key);
  else open.set(key, value);
  return open;
}

/** All loops but those that have landed and given back their worktree, in the order in which they began. */
export function openLoops({ loops }: Pick<State, 'loops'>): readonly Loop[] {
  const known = openIn.get(loops);
  if (known !== undefined) return [...known.values()] as Loop[];
  const open = new Map<string, unknown>();
  for (const loop of Object.values(loops)) if (!isOver(loop)) open.set(loop.id, loop);
  openIn.set(loops, open);
  return [...open.values()] as Loop[];
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
