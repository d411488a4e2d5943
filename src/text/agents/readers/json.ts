/** A JSON object of a stranger: nothing about it is certain. */
export type Bag = Readonly<Record<string, unknown>>;

export function bagOf(value: unknown): Bag | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Bag) : null;
}

/** One line as an object; null: it is none, or no JSON at all. */
export function parseBag(line: string): Bag | null {
  const text = line.trim();
  if (!text.startsWith('{')) return null;
  try {
    return bagOf(JSON.parse(text));
  } catch {
    return null;
  }
}

/** What stands at the end of this path of keys; undefined: nothing does. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const key of path) {
    const bag = bagOf(here);
    if (bag === null || !Object.hasOwn(bag, key)) return undefined;
    here = bag[key];
  }
  return here;
}

export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : null;
}

export function numberAt(value: unknown, ...path: readonly string[]): number | null {
  const found = at(value, ...path);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

/** A count: never below zero, zero if it is not told. */
export const countAt = (value: unknown, ...path: readonly string[]): number =>
  Math.max(0, numberAt(value, ...path) ?? 0);

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The object at the end of a path, empty if there is none. */
export const objectAt = (value: unknown, ...path: readonly string[]): Bag => bagOf(at(value, ...path)) ?? {};

/** The objects in the list there. */
export const objectsAt = (value: unknown, ...path: readonly string[]): readonly Bag[] =>
  listAt(value, ...path).flatMap((one): readonly Bag[] => {
    const bag = bagOf(one);
    return bag === null ? [] : [bag];
  });

/** The texts of a list of content blocks, or the content itself where it is plain text. */
export function textsIn(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => (textAt(block, 'type') === 'text' ? [textAt(block, 'text') ?? ''] : []));
}
