import type { Problem, TaskStatus } from '../../core/model/task.ts';
import type { DependencyRef, Draft, Drafts, Written } from './draft.ts';
import { unreadable } from './draft.ts';
import type { Place } from './places.ts';
import { marksFrom } from './marks.ts';
import { parsePriority, PRIORITY_FORMS } from './priority.ts';
import {
  BLOCKED_FLAG,
  BLOCKED_REASON_KEYS,
  DONE_FLAGS,
  parseFlag,
  parseStatus,
  STATUS_FORMS,
  STATUS_KEY,
} from './task-status.ts';
import type { Entry, Table, Value } from './value.ts';
import { entryOf } from './value.ts';

/** A task of a JSON or YAML file, with the table it came from. */
export interface FieldDraft extends Draft {
  readonly table: Table;
  /** The graph it is a node of. */
  readonly graph?: Table;
}

export interface Reader {
  readonly text: string;
  readonly placeOf: (offset: number) => Place;
  readonly problems: Problem[];
}

const LIST_KEYS = ['stories', 'userStories', 'user_stories', 'tasks'];
const KEYS = {
  id: ['id', 'story_id', 'key'],
  title: ['title'],
  body: ['description', 'body'],
  notes: ['notes'],
  acceptance: ['acceptance', 'acceptanceCriteria', 'acceptance_criteria'],
  group: ['group'],
  deps: ['depends_on', 'dependsOn', 'deps'],
  priority: ['priority'],
  story: ['story'],
  epic: ['epic'],
  labels: ['labels', 'label'],
  agent: ['agent'],
  model: ['model'],
  blockedReason: BLOCKED_REASON_KEYS,
} as const;

/** Finds the list of tasks in a JSON or YAML file and reads each; both formats share every field name. */
export function readFields(text: string, root: Value, placeOf: (offset: number) => Place): Drafts<FieldDraft> {
  const reader: Reader = { text, placeOf, problems: [] };
  const list = taskList(reader, root);
  if (list === null) return unreadable(...reader.problems);
  return { readable: true, drafts: readTasks(reader, list), problems: reader.problems };
}

export function readTasks(reader: Reader, list: readonly Value[]): FieldDraft[] {
  const drafts: FieldDraft[] = [];
  for (const item of list) {
    if (item.kind === 'table') drafts.push(readTask(reader, item));
    else complain(reader, item, 'a task must have fields, at least a title');
  }
  return drafts;
}

function taskList(reader: Reader, root: Value): readonly Value[] | null {
  if (root.kind === 'list') return root.items;
  if (root.kind === 'scalar' && root.text === null) return [];
  const found = root.kind === 'table' ? LIST_KEYS.filter((key) => root.entries.has(key)) : [];
  const [first, second] = found;
  if (first === undefined) {
    complain(reader, root, 'no list of tasks: expected a list, or the key "tasks" or "stories"');
    return null;
  }
  const value = (root as Table).entries.get(first)?.value as Value;
  if (second !== undefined) complain(reader, root, `both "${first}" and "${second}" are there: keep one`);
  if (value.kind === 'list') return value.items;
  if (value.kind === 'scalar' && value.text === null) return [];
  complain(reader, value, `"${first}" must be a list`);
  return null;
}

function readTask(reader: Reader, table: Table): FieldDraft {
  const group = written(reader, table, KEYS.group);
  const priority = written(reader, table, KEYS.priority);
  const status = statusOf(reader, table);
  const { line, column } = reader.placeOf(table.start);
  return {
    line,
    column,
    table,
    id: written(reader, table, KEYS.id),
    title: written(reader, table, KEYS.title)?.text ?? '',
    body: [...lines(reader, table, KEYS.body), ...after(lines(reader, table, KEYS.notes))].join('\n'),
    acceptance: lines(reader, table, KEYS.acceptance).flatMap((item) => item.split('\n')),
    group,
    deps: dependencies(reader, table),
    priority: priority === null ? null : priorityOf(reader, priority),
    status,
    blockedReason: status === 'blocked' ? (written(reader, table, KEYS.blockedReason)?.text ?? null) : null,
    ...marksFrom(
      (name) => (name === 'labels' ? null : (written(reader, table, KEYS[name])?.text ?? null)),
      lines(reader, table, KEYS.labels),
    ),
  };
}

const after = (notes: readonly string[]): readonly string[] => (notes.length === 0 ? [] : ['', ...notes]);

/** A done flag decides alone, so that a stale status beside it can not make undone work look done. */
function statusOf(reader: Reader, table: Table): TaskStatus {
  const done = DONE_FLAGS.map((name) => flag(reader, table, name)).filter((value) => value !== null);
  const blocked = flag(reader, table, BLOCKED_FLAG) === true;
  const word = written(reader, table, [STATUS_KEY]);
  const status = word === null ? 'open' : parseStatus(word.text);
  if (status === null) {
    const { line, column } = word as Written;
    reader.problems.push({ line, column, message: `the status must be one of ${STATUS_FORMS}` });
    return 'open';
  }
  if (done.length > 0 ? done.every(Boolean) : status === 'done') return 'done';
  if (blocked) return 'blocked';
  return status === 'done' ? 'open' : status;
}

function flag(reader: Reader, table: Table, name: string): boolean | null {
  const word = written(reader, table, [name]);
  if (word === null) return null;
  const value = parseFlag(word.text);
  if (value === null) {
    reader.problems.push({ line: word.line, column: word.column, message: `"${name}" must be true or false` });
  }
  return value;
}

function priorityOf(reader: Reader, { line, column, text }: Written): number | null {
  const priority = parsePriority(text);
  if (priority === null) reader.problems.push({ line, column, message: `the priority must be ${PRIORITY_FORMS}` });
  return priority;
}

/** The text of a field, or null when it is not there or empty. */
export function written(reader: Reader, table: Table, names: readonly string[]): Written | null {
  const value = valueOf(table, names);
  if (value === null) return null;
  if (value.kind === 'scalar' && value.text !== null) return { ...reader.placeOf(value.start), text: value.text };
  complain(reader, value, `"${names[0]}" must be text`);
  return null;
}

/** A field of one text or a list of texts. An item that is a table (`- Rule 1: works`) counts as what was written. */
function lines(reader: Reader, table: Table, names: readonly string[]): string[] {
  const value = valueOf(table, names);
  if (value === null) return [];
  return (value.kind === 'list' ? value.items : [value]).map((item) =>
    item.kind === 'scalar' ? (item.text ?? '') : reader.text.slice(item.start, item.end).replaceAll(/\s*\n\s*/g, ' '),
  );
}

function dependencies(reader: Reader, table: Table): DependencyRef[] {
  const value = valueOf(table, KEYS.deps);
  if (value === null) return [];
  const style = value.kind === 'list' ? 'name' : 'list';
  return (value.kind === 'list' ? value.items : [value]).flatMap((item) => {
    if (item.kind === 'scalar')
      return item.text === null ? [] : [{ ...reader.placeOf(item.start), text: item.text, style }];
    complain(reader, item, 'a dependency must be the id of a task');
    return [];
  });
}

function valueOf(table: Table, names: readonly string[]): Value | null {
  const entry: Entry | null = entryOf(table, names);
  return entry === null || (entry.value.kind === 'scalar' && entry.value.text === null) ? null : entry.value;
}

export function complain(reader: Reader, value: Value, message: string): void {
  reader.problems.push({ ...reader.placeOf(value.start), message });
}
