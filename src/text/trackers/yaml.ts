import type { Drafts } from './draft.ts';
import { unreadable } from './draft.ts';
import { placesOf } from './places.ts';
import type { FieldDraft } from './read-fields.ts';
import { readFields } from './read-fields.ts';
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
  const read = readFields(text, yaml.value, placeOf);
  return { ...read, problems: [...yaml.problems, ...read.problems] };
}

/** Sets the task's own done field or fields, or adds one; null when there is no safe place. */
export function tickYaml(text: string, draft: FieldDraft): string | null {
  const fields = undoneFields(draft.table);
  if (fields.length === 0) return insertCompleted(text, draft.table);
  let ticked: string | null = text;
  for (const field of fields.toReversed()) ticked = ticked === null ? null : setField(ticked, field);
  return ticked;
}

function setField(text: string, { entry, kind }: DoneField): string | null {
  const { value } = entry;
  if (value.kind !== 'scalar') return null;
  const wanted = kind === 'status' ? 'done' : yesLike(value.text ?? 'false');
  const first = text[value.start] ?? '';
  if (value.start === value.end) {
    const colon = text.indexOf(':', entry.key.end);
    return colon === -1 ? null : `${text.slice(0, colon + 1)} ${wanted}${text.slice(colon + 1)}`;
  }
  if (first === '|' || first === '>') return null;
  const mark = first === '"' || first === "'" ? first : '';
  return text.slice(0, value.start) + mark + wanted + mark + text.slice(value.end);
}

/** "No" becomes "Yes" and "FALSE" becomes "TRUE": the file keeps its own way of saying it. */
function yesLike(no: string): string {
  const yes = YES_FOR.get(no.trim().toLowerCase()) ?? 'true';
  if (no === no.toUpperCase()) return yes.toUpperCase();
  return /^[A-Z]/.test(no) ? `${yes.slice(0, 1).toUpperCase()}${yes.slice(1)}` : yes;
}

function insertCompleted(text: string, table: Table): string | null {
  const entries = [...table.entries.values()];
  const last = entries.at(-1);
  if (last === undefined) return null;
  const end = Math.max(last.value.end, last.key.end);
  if (text[table.start] === '{') {
    const before = entries.at(-2);
    const between = before === undefined ? '' : text.slice(before.value.end, last.key.start);
    const gap = /^\s*,\s*$/.test(between) ? between : ', ';
    return `${text.slice(0, end)}${gap}completed: true${text.slice(end)}`;
  }
  const column = table.start - (text.lastIndexOf('\n', table.start - 1) + 1);
  const field = `${' '.repeat(column)}completed: true`;
  const newline = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  if (text[end - 1] === '\n') return `${text.slice(0, end)}${field}${newline}${text.slice(end)}`;
  const rest = text.slice(end).search(/[\r\n]/);
  const lineEnd = rest === -1 ? text.length : end + rest;
  return `${text.slice(0, lineEnd)}${newline}${field}${text.slice(lineEnd)}`;
}
