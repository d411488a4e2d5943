import type { ReviewPlace } from '../core/model/landing.ts';
import { cleanLine, cleanText } from './screen/clean.ts';
import { readJsonValue } from './trackers/json.ts';
import { placesOf } from './trackers/places.ts';

/** A comment as a person wrote it down; what its lines hold is looked up. */
export interface WrittenComment {
  readonly text: string;
  readonly on: Omit<ReviewPlace, 'code'> | null;
}

export type ReadComments = { readonly comments: readonly WrittenComment[] } | { readonly problems: readonly string[] };

const COMMENTS_MAX = 200;

/** A file of review comments: a JSON list of `{"path", "side", "first", "last", "text"}`, or `{"text"}` for all of the work. */
export function readReviewComments(text: string): ReadComments {
  const placeOf = placesOf(text);
  const { problems } = readJsonValue(text, placeOf);
  if (problems.length > 0)
    return { problems: problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`) };
  const all: unknown = JSON.parse(text);
  if (!Array.isArray(all)) return { problems: ['is no list: write [{"path": "src/a.ts", "line": 3, "text": "..."}]'] };
  if (all.length === 0) return { problems: ['has no comment'] };
  if (all.length > COMMENTS_MAX) return { problems: [`has ${all.length} comments; a review takes ${COMMENTS_MAX}`] };
  const read = all.map(readOne);
  const wrong = read.flatMap((one, at) => (typeof one === 'string' ? [`comment ${at + 1}: ${one}`] : []));
  return wrong.length > 0 ? { problems: wrong } : { comments: read.filter((one) => typeof one !== 'string') };
}

const KEYS = ['path', 'side', 'line', 'first', 'last', 'text'];

function readOne(value: unknown): WrittenComment | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is no object';
  const fields = value as Readonly<Record<string, unknown>>;
  const strange = Object.keys(fields).find((key) => !KEYS.includes(key));
  if (strange !== undefined) return `has the key ${cleanLine(JSON.stringify(strange))}; known are ${KEYS.join(', ')}`;
  const { path, side = 'new', text } = fields;
  if (typeof text !== 'string' || cleanText(text).trim() === '') return 'has no "text"';
  const said = cleanText(text).trim();
  if (path === undefined) return { text: said, on: null };
  if (typeof path !== 'string' || path.trim() === '') return '"path" is no file name';
  if (side !== 'new' && side !== 'old') return '"side" is "new" or "old"';
  const first = fields['first'] ?? fields['line'];
  const last = fields['last'] ?? first;
  if (!isLine(first) || !isLine(last)) return 'names no "line", or "first" and "last", counted from 1';
  return last < first ? '"last" is before "first"' : { text: said, on: { path, side, first, last } };
}

const isLine = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
