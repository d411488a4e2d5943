import type { TaskId } from '../../core/model/ids.ts';
import type { Task } from '../../core/model/task.ts';
import { checkTasks } from './check-tasks.ts';
import { readJsonValue } from './json.ts';
import { readMarkdown } from './markdown.ts';
import { placesOf } from './places.ts';
import { isGraph, readValues } from './graph.ts';
import { readFields } from './read-fields.ts';
import { applyEdits } from './edits.ts';
import type { Edit } from './edits.ts';
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
/** In a graph also who works on a node since when, and what follows from its nodes. */
const NODE_FIELDS = new Set([...OWN_FIELDS, 'assignee', 'claimed_at', 'claimed_by', 'completed_at']);
const GRAPH_FIELDS = new Set(['meta', 'last_updated']);

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
  const read = (kind === 'yaml' ? readValues : readFields)(text, whole.value, placeOf);
  const own = kind === 'yaml' && isGraph(whole.value) ? NODE_FIELDS : OWN_FIELDS;
  const ownOf = new Map<Value, ReadonlySet<string>>(read.drafts.map((draft) => [draft.table, own]));
  if (own === NODE_FIELDS) ownOf.set(whole.value, GRAPH_FIELDS);
  return {
    tasks: checkTasks(read).tasks,
    fields: read.drafts.map((draft) => ownFields(draft.table, own)),
    rest: JSON.stringify(plain(whole.value, ownOf)),
  };
}

function ownFields({ entries }: Table, own: ReadonlySet<string>): ReadonlyMap<string, Span> {
  return new Map([...entries].flatMap(([name, { value }]) => (own.has(name) ? [[name, value] as const] : [])));
}

function plain(value: Value, ownOf: ReadonlyMap<Value, ReadonlySet<string>>): unknown {
  if (value.kind === 'scalar') return value.text;
  if (value.kind === 'list') return value.items.map((item) => plain(item, ownOf));
  const own = ownOf.get(value);
  return [...value.entries].flatMap(([name, entry]) =>
    own?.has(name) === true ? [] : [[name, plain(entry.value, ownOf)]],
  );
}

/** The text with these fields as another version of it has them, task by task; what only one of them has stays. */
export function withFieldsOf(text: string, own: TakenApart, like: string, other: TakenApart): string {
  const edits: Edit[] = [];
  const at = new Map<TaskId, number>(other.tasks.map((task, index) => [task.id, index]));
  for (const [index, task] of own.tasks.entries()) {
    const there = other.fields[at.get(task.id) ?? -1];
    for (const [name, span] of own.fields[index] ?? []) {
      const wanted = there?.get(name);
      if (wanted !== undefined)
        edits.push({ start: span.start, end: span.end, text: like.slice(wanted.start, wanted.end) });
    }
  }
  return applyEdits(text, edits);
}
