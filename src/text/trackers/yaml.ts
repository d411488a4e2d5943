import type { Drafts } from './draft.ts';
import { unreadable } from './draft.ts';
import { placesOf } from './places.ts';
import type { FieldDraft } from './read-fields.ts';
import { readValues } from './graph.ts';
import type { Edit } from './edits.ts';
import { applyEdits } from './edits.ts';
import { countEdits } from './graph-counters.ts';
import type { DoneField } from './task-status.ts';
import { undoneFields } from './task-status.ts';
import type { Table } from './value.ts';
import { readYamlValue } from './yaml-value.ts';

const YES_FOR = new Map([
  ['false', 'true'],
  ['no', 'yes'],
  ['off', 'on'],
]);

export function readYaml(text: string): Drafts<FieldDraft> {
  const placeOf = placesOf(text);
  const yaml = readYamlValue(text, placeOf);
  if (yaml.value === null) return unreadable(...yaml.problems);
  const read = readValues(text, yaml.value, placeOf);
  return { ...read, problems: [...yaml.problems, ...read.problems] };
}

/** Sets the task's own done field or fields, or adds one; null when there is no safe place. */
export function tickYaml(text: string, { table, graph }: FieldDraft): string | null {
  const fields = undoneFields(table);
  const word = graph === undefined ? 'done' : 'complete';
  const added = graph === undefined ? 'completed: true' : `status: ${word}`;
  const edits = fields.length === 0 ? [insertion(text, table, added)] : fields.map((field) => edit(text, field, word));
  if (edits.some((one) => one === null)) return null;
  const counts = graph === undefined ? [] : countEdits(graph, table);
  return applyEdits(text, [...edits.filter((one) => one !== null), ...counts]);
}

function edit(text: string, { entry, kind }: DoneField, word: string): Edit | null {
  const { value } = entry;
  if (value.kind !== 'scalar') return null;
  const wanted = kind === 'status' ? word : yesLike(value.text ?? 'false');
  const first = text[value.start] ?? '';
  if (value.start === value.end) {
    const colon = text.indexOf(':', entry.key.end);
    return colon === -1 ? null : { start: colon + 1, end: colon + 1, text: ` ${wanted}` };
  }
  if (first === '|' || first === '>') return null;
  const mark = first === '"' || first === "'" ? first : '';
  return { start: value.start, end: value.end, text: mark + wanted + mark };
}

/** "No" becomes "Yes" and "FALSE" becomes "TRUE": the file keeps its own way of saying it. */
function yesLike(no: string): string {
  const yes = YES_FOR.get(no.trim().toLowerCase()) ?? 'true';
  if (no === no.toUpperCase()) return yes.toUpperCase();
  return /^[A-Z]/.test(no) ? `${yes.slice(0, 1).toUpperCase()}${yes.slice(1)}` : yes;
}

/** Puts a field behind the last one of a table, in its layout. */
export function insertion(text: string, table: Table, field: string): Edit | null {
  const entries = [...table.entries.values()];
  const last = entries.at(-1);
  if (last === undefined) return null;
  const end = Math.max(last.value.end, last.key.end);
  const at = (offset: number, added: string): Edit => ({ start: offset, end: offset, text: added });
  if (text[table.start] === '{') {
    const before = entries.at(-2);
    const between = before === undefined ? '' : text.slice(before.value.end, last.key.start);
    const gap = /^\s*,\s*$/.test(between) ? between : ', ';
    return at(end, `${gap}${field}`);
  }
  const column = table.start - (text.lastIndexOf('\n', table.start - 1) + 1);
  const line = `${' '.repeat(column)}${field}`;
  const newline = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  if (text[end - 1] === '\n') return at(end, `${line}${newline}`);
  const rest = text.slice(end).search(/[\r\n]/);
  return at(rest === -1 ? text.length : end + rest, `${newline}${line}`);
}
