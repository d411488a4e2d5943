export type Json = Readonly<Record<string, unknown>>;

const NOTHING: Json = {};

/** What a line says; null: it is no JSON object. */
export function parseLine(line: string): Json | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object at a key, empty if there is none. */
export function objectAt(value: Json, key: string): Json {
  const found = value[key];
  return isObject(found) ? found : NOTHING;
}

export function textAt(value: Json, key: string): string | null {
  const found = value[key];
  return typeof found === 'string' ? found : null;
}

/** The objects in the array at a key. */
export function objectsAt(value: Json, key: string): readonly Json[] {
  const found = value[key];
  return Array.isArray(found) ? found.filter(isObject) : [];
}
