import type { TaskId } from '../../core/ids.ts';
import type { Task } from '../../core/task.ts';
import { checkTasks } from './check-tasks.ts';
import { readJsonValue } from './json.ts';
import { readMarkdown } from './markdown.ts';
import { placesOf } from './places.ts';
import { readFields } from './read-fields.ts';
import { BLOCKED_FLAG, BLOCKED_REASON_KEYS, DONE_FLAGS, STATUS_KEY } from './task-status.ts';
import type { TrackerKind } from './tracker-names.ts';
import type { Table, Value } from './value.ts';
import { readYamlValue } from './yaml-value.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A tracker, taken apart into the fields that say how far each task is, and everything else. */
export interface TakenApart {
  readonly tasks: readonly Task[];
  /** Where these fields of each task are, by name. */
  readonly fields: readonly ReadonlyMap<string, Span>[];
  /** All that the file says besides: two that say the same differ in layout at most. */
  readonly rest: string;
}

const OWN_FIELDS = new Set([...DONE_FLAGS, STATUS_KEY, BLOCKED_FLAG, ...BLOCKED_REASON_KEYS]);

/** Null: the file cannot be read. */
export function takeApart(kind: TrackerKind, text: string): TakenApart | null {
  return kind === 'markdown' ? boxes(text) : values(kind, text);
}

function boxes(text: string): TakenApart {
  const read = readMarkdown(text);
  const fields = read.drafts.map(({ boxAt }) => new Map([['box', { start: boxAt, end: boxAt + 1 }]]));
  let rest = text;
  for (const { boxAt } of read.drafts) rest = `${rest.slice(0, boxAt)} ${rest.slice(boxAt + 1)}`;
  const lines = rest.split(/\r\n|\n|\r/).map((line) => line.trimEnd());
  return { tasks: checkTasks(read).tasks, fields, rest: lines.join('\n').trimEnd() };
}

function values(kind: 'json' | 'yaml', text: string): TakenApart | null {
  const placeOf = placesOf(text);
  const whole = kind === 'json' ? readJsonValue(text, placeOf) : readYamlValue(text, placeOf);
  if (whole.value === null) return null;
  const read = readFields(text, whole.value, placeOf);
  const tables = new Set<Value>(read.drafts.map((draft) => draft.table));
  return {
    tasks: checkTasks(read).tasks,
    fields: read.drafts.map((draft) => ownFields(draft.table)),
    rest: JSON.stringify(plain(whole.value, tables)),
  };
}

function ownFields({ entries }: Table): ReadonlyMap<string, Span> {
  return new Map([...entries].flatMap(([name, { value }]) => (OWN_FIELDS.has(name) ? [[name, value] as const] : [])));
}

function plain(value: Value, tasks: ReadonlySet<Value>): unknown {
  if (value.kind === 'scalar') return value.text;
  if (value.kind === 'list') return value.items.map((item) => plain(item, tasks));
  const isTask = tasks.has(value);
  return [...value.entries].flatMap(([name, entry]) =>
    isTask && OWN_FIELDS.has(name) ? [] : [[name, plain(entry.value, tasks)]],
  );
}

/** The text with these fields as another version of it has them, task by task; what only one of them has stays. */
export function withFieldsOf(text: string, own: TakenApart, like: string, other: TakenApart): string {
  const edits: (Span & { readonly text: string })[] = [];
  const at = new Map<TaskId, number>(other.tasks.map((task, index) => [task.id, index]));
  for (const [index, task] of own.tasks.entries()) {
    const there = other.fields[at.get(task.id) ?? -1];
    for (const [name, span] of own.fields[index] ?? []) {
      const wanted = there?.get(name);
      if (wanted !== undefined) edits.push({ ...span, text: like.slice(wanted.start, wanted.end) });
    }
  }
  const backwards = edits.toSorted((a, b) => b.start - a.start);
  return backwards.reduce((now, edit) => now.slice(0, edit.start) + edit.text + now.slice(edit.end), text);
}
