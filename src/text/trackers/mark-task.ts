import type { TaskId } from '../../core/model/ids.ts';
import type { Task } from '../../core/model/task.ts';
import type { Edit } from './edits.ts';
import { applyEdits } from './edits.ts';
import { recount } from './graph-counters.ts';
import { insertProperty, readJson } from './json.ts';
import { readMarkdown } from './markdown.ts';
import type { FieldDraft } from './read-fields.ts';
import { BLOCKED_FLAG, BLOCKED_REASON_KEYS, DONE_FLAGS, parseFlag, parseStatus, STATUS_KEY } from './task-status.ts';
import type { TrackerKind } from './tracker-names.ts';
import { parseTracker, tickTask, withoutBom } from './tracker.ts';
import { insertion, readYaml } from './yaml.ts';

export type Mark = 'done' | 'blocked' | 'open';
export type Marked =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'absent' | 'already' | 'unsafe' };

const BOXES: Readonly<Record<Exclude<Mark, 'done'>, string>> = { blocked: '-', open: ' ' };

/** Says of one task that it is done, blocked or open, as a person would in an editor; the text is read again to make sure. */
export function markTask(
  kind: TrackerKind,
  text: string,
  id: TaskId,
  mark: Mark,
  reason: string | null = null,
): Marked {
  if (mark === 'done') return tickTask(kind, text, id);
  const plain = withoutBom(text);
  const before = parseTracker(kind, plain);
  const index = before.tasks.findIndex((task) => task.id === id);
  const task = before.tasks[index];
  if (task === undefined || before.problems.length > 0)
    return { ok: false, reason: task === undefined ? 'absent' : 'unsafe' };
  if (mark === 'open' ? task.status === 'open' : task.status === 'blocked' && reason === null)
    return { ok: false, reason: 'already' };
  const edited =
    kind === 'markdown' ? markBox(plain, index, BOXES[mark]) : markFields(kind, plain, index, mark, reason);
  const marked = edited === null || kind !== 'yaml' ? edited : recount(edited, plain);
  if (marked === null || !onlyMarked(before.tasks, parseTracker(kind, marked).tasks, index, mark))
    return { ok: false, reason: 'unsafe' };
  return { ok: true, text: text.slice(0, text.length - plain.length) + marked };
}

function markBox(text: string, index: number, box: string): string | null {
  const draft = readMarkdown(text).drafts[index];
  return draft === undefined ? null : `${text.slice(0, draft.boxAt)}${box}${text.slice(draft.boxAt + 1)}`;
}

/** Field after field, each found anew in what the one before left. */
function markFields(
  kind: Exclude<TrackerKind, 'markdown'>,
  text: string,
  index: number,
  mark: Exclude<Mark, 'done'>,
  reason: string | null,
): string | null {
  const draft = draftAt(kind, text, index);
  if (draft === undefined) return null;
  let now: string | null = text;
  for (const [name, value] of fieldsFor(draft, mark, reason)) {
    const next: FieldDraft | undefined = now === null ? undefined : draftAt(kind, now, index);
    now = now === null || next === undefined ? null : setField(kind, now, next, name, value);
  }
  return now;
}

const draftAt = (kind: Exclude<TrackerKind, 'markdown'>, text: string, index: number): FieldDraft | undefined =>
  (kind === 'json' ? readJson(text) : readYaml(text)).drafts[index];

/** What has to be said where, so that every field of the task agrees. */
function fieldsFor(
  { table, graph }: FieldDraft,
  mark: Exclude<Mark, 'done'>,
  reason: string | null,
): readonly (readonly [string, string | boolean])[] {
  const textOf = (name: string): string | null => {
    const value = table.entries.get(name)?.value;
    return value?.kind === 'scalar' ? value.text : null;
  };
  const status = textOf(STATUS_KEY);
  const undone = DONE_FLAGS.filter((name) => parseFlag(textOf(name) ?? '') === true).map(
    (name) => [name, false] as const,
  );
  const isFlagged = parseFlag(textOf(BLOCKED_FLAG) ?? '') === true;
  const open = graph === undefined ? 'open' : 'pending';
  if (mark === 'open')
    return [
      ...undone,
      ...(isFlagged ? [[BLOCKED_FLAG, false] as const] : []),
      ...(status !== null && parseStatus(status) !== 'open' ? [[STATUS_KEY, open] as const] : []),
    ];
  const known = BLOCKED_REASON_KEYS.find((name) => table.entries.has(name)) ?? BLOCKED_REASON_KEYS[0];
  return [
    ...undone,
    status === null && graph === undefined ? ([BLOCKED_FLAG, true] as const) : ([STATUS_KEY, 'blocked'] as const),
    ...(reason === null ? [] : [[known, reason] as const]),
  ];
}

function setField(
  kind: Exclude<TrackerKind, 'markdown'>,
  text: string,
  { table }: FieldDraft,
  name: string,
  value: string | boolean,
): string | null {
  const shown = kind === 'json' ? JSON.stringify(value) : yamlText(value);
  const there = table.entries.get(name);
  if (there === undefined) {
    const added =
      kind === 'json'
        ? insertProperty(text, table, JSON.stringify(name), shown)
        : insertion(text, table, `${name}: ${shown}`);
    return added === null ? null : applyEdits(text, [added]);
  }
  const { start, end, kind: form } = there.value;
  const isBlock = text[start] === '|' || text[start] === '>';
  if (form !== 'scalar' || isBlock || start === end) return null;
  const edit: Edit = { start, end, text: shown };
  return applyEdits(text, [edit]);
}

/** A word stays bare; everything else in double quotes, which YAML reads as JSON does. */
export const yamlText = (value: string | boolean): string =>
  typeof value === 'boolean' || (/^[A-Za-z][\w-]*$/.test(value) && parseFlag(value) === null && value !== 'null')
    ? String(value)
    : JSON.stringify(value);

function onlyMarked(before: readonly Task[], after: readonly Task[], index: number, mark: Mark): boolean {
  const rest = ({ line: _line, status: _status, blockedReason: _reason, ...task }: Task): string =>
    JSON.stringify(task);
  return (
    before.length === after.length &&
    after[index]?.status === mark &&
    before.every((task, at) => {
      const now = after[at];
      if (now === undefined || rest(now) !== rest(task)) return false;
      return at === index || (now.status === task.status && now.blockedReason === task.blockedReason);
    })
  );
}
