import type { Node, ParseError } from 'jsonc-parser';
import { parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Problem } from '../../core/model/task.ts';
import { quote } from './clean.ts';
import type { Drafts } from './draft.ts';
import { unreadable } from './draft.ts';
import type { Place } from './places.ts';
import { applyEdits } from './edits.ts';
import type { Edit } from './edits.ts';
import { placesOf } from './places.ts';
import type { FieldDraft } from './read-fields.ts';
import { readFields } from './read-fields.ts';
import { undoneFields } from './task-status.ts';
import type { Entry, Table, Value, WholeValue } from './value.ts';

const DEPTH_MAX = 100;
const SYNTAX_PROBLEMS_MAX = 20;

/** Reads plain JSON: comments and trailing commas are errors, so that every other tool can read the file too. */
export function readJsonValue(text: string, placeOf: (offset: number) => Place): WholeValue {
  const deep = tooDeepAt(text);
  if (deep !== null)
    return { value: null, problems: [{ ...placeOf(deep), message: `more than ${DEPTH_MAX} levels deep` }] };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  if (errors.length > 0 || tree === undefined) {
    return {
      value: null,
      problems: errors.slice(0, SYNTAX_PROBLEMS_MAX).map((error) => syntaxProblem(error, placeOf)),
    };
  }
  const problems: Problem[] = [];
  return { value: valueOf(text, tree, placeOf, problems), problems };
}

export function readJson(text: string): Drafts<FieldDraft> {
  const placeOf = placesOf(text);
  const json = readJsonValue(text, placeOf);
  if (json.value === null) return unreadable(...json.problems);
  const read = readFields(text, json.value, placeOf);
  return { ...read, problems: [...json.problems, ...read.problems] };
}

/** Sets the task's own done field or fields, or adds one in the layout of the task. */
export function tickJson(text: string, draft: FieldDraft): string | null {
  const fields = undoneFields(draft.table);
  if (fields.length === 0) {
    const edit = insertProperty(text, draft.table, '"passes"', 'true');
    return edit === null ? null : applyEdits(text, [edit]);
  }
  let ticked = text;
  for (const { entry, kind } of fields.toReversed()) {
    const { start, end } = entry.value;
    const wanted = kind === 'status' ? '"done"' : text[start] === '"' ? '"true"' : 'true';
    ticked = ticked.slice(0, start) + wanted + ticked.slice(end);
  }
  return ticked;
}

/** Puts a property behind the last one of an object, in its layout. */
export function insertProperty(text: string, table: Table, name: string, value: string): Edit | null {
  const entries = [...table.entries.values()];
  const last = entries.at(-1);
  if (last === undefined) return null;
  const before = entries.at(-2);
  const gap =
    before === undefined
      ? `,${text.slice(table.start + 1, last.key.start)}`
      : text.slice(before.value.end, last.key.start);
  const colon = text.slice(last.key.end, last.value.start);
  const { end } = last.value;
  return { start: end, end, text: `${gap}${name}${colon}${value}` };
}

function syntaxProblem(error: ParseError, placeOf: (offset: number) => Place): Problem {
  const name = printParseErrorCode(error.error);
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return { ...placeOf(error.offset), message: `not valid JSON: ${words}` };
}

/** The parser recurses, so nesting is measured before it sees the text. */
function tooDeepAt(text: string): number | null {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') inString = !inString;
    else if (inString) at += char === '\\' ? 1 : 0;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    if (depth > DEPTH_MAX) return at;
  }
  return null;
}

function valueOf(text: string, node: Node, placeOf: (offset: number) => Place, problems: Problem[]): Value {
  const start = node.offset;
  const end = start + node.length;
  if (node.type === 'array') {
    const items = (node.children ?? []).map((child) => valueOf(text, child, placeOf, problems));
    return { kind: 'list', start, end, items };
  }
  if (node.type !== 'object') {
    const written = node.type === 'string' ? String(node.value) : text.slice(start, end);
    return { kind: 'scalar', start, end, text: node.type === 'null' ? null : written };
  }
  const entries = new Map<string, Entry>();
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) continue;
    const name = String(key.value);
    if (entries.has(name)) problems.push({ ...placeOf(key.offset), message: `the key ${quote(name)} is there twice` });
    // Taken out first, so that the map stays in file order.
    entries.delete(name);
    const entry = {
      key: { start: key.offset, end: key.offset + key.length },
      value: valueOf(text, value, placeOf, problems),
    };
    entries.set(name, entry);
  }
  return { kind: 'table', start, end, entries };
}
