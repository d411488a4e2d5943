import type { TaskId } from '../../core/model/ids.ts';
import { applyEdits } from './edits.ts';
import type { Edit } from './edits.ts';
import { recount } from './graph-counters.ts';
import { isGraph } from './graph.ts';
import { readJson, readJsonValue } from './json.ts';
import { readMarkdown } from './markdown.ts';
import { yamlText } from './mark-task.ts';
import { placesOf } from './places.ts';
import type { TrackerKind } from './tracker-names.ts';
import { parseTracker } from './tracker.ts';
import type { List, Table, Value } from './value.ts';
import { readYaml } from './yaml.ts';
import { readYamlValue } from './yaml-value.ts';

export interface NewTask {
  readonly title: string;
  readonly body: string;
  readonly group: string | null;
  readonly priority: string | null;
  readonly deps: readonly TaskId[];
}

/** The text with one task more, behind the last one, and its id; null: there is no certain place for it. */
export function addTask(
  kind: TrackerKind,
  text: string,
  task: NewTask,
): { readonly text: string; readonly id: TaskId } | null {
  const before = parseTracker(kind, text).tasks;
  const put = addTo(kind, text, task);
  if (put === null) return null;
  const added = kind === 'yaml' ? recount(put, text) : put;
  const after = parseTracker(kind, added);
  const [last] = after.tasks.filter(({ id }) => !before.some((one) => one.id === id));
  const isRight =
    after.problems.length === 0 &&
    after.tasks.length === before.length + 1 &&
    last?.title === task.title &&
    last.group === task.group &&
    last.deps.join() === task.deps.join();
  return last !== undefined && isRight ? { text: added, id: last.id } : null;
}

function addTo(kind: TrackerKind, text: string, task: NewTask): string | null {
  switch (kind) {
    case 'markdown':
      return addLines(text, task);
    case 'json':
      return addObject(text, task);
    case 'yaml':
      return addItem(text, task);
  }
}

const newlineOf = (text: string): string => /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';

/** Before the heading that follows the last task, or at the end of the file. */
function addLines(text: string, { title, body, group, priority, deps }: NewTask): string | null {
  const newline = newlineOf(text);
  const last = readMarkdown(text).drafts.at(-1);
  if (last === undefined && text.trim() !== '' && !/^#+\s*tasks\s*$/im.test(text)) return null;
  const marks = [
    ...(group === null ? [] : [`group: ${group}`]),
    ...(priority === null ? [] : [`priority: ${priority}`]),
  ];
  const column = last === undefined ? 0 : columnOf(text, last.boxAt);
  const indent = ' '.repeat(column);
  const lines = [
    `${indent}- [ ] ${title}${marks.length === 0 ? '' : ` <!-- ${marks.join(', ')} -->`}`,
    ...body.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [`${indent}  ${line}`])),
    ...(deps.length === 0 ? [] : [`${indent}  - Depends on: ${deps.join(', ')}`]),
  ];
  const from = last?.boxAt ?? text.search(/^#+\s*tasks\s*$/im) + 1;
  const heading = from < 0 ? -1 : text.slice(from).search(/^#{1,6} /m);
  const head = (heading === -1 ? text : text.slice(0, from + heading)).trimEnd();
  const rest = heading === -1 ? '' : `${newline}${text.slice(from + heading)}`;
  const gap = head === '' ? '' : last === undefined ? newline + newline : newline;
  return `${head}${gap}${lines.join(newline)}${newline}${rest}`;
}

/** Where the bullet of a box begins in its line. */
function columnOf(text: string, boxAt: number): number {
  const start = text.lastIndexOf('\n', boxAt - 1) + 1;
  return /^ */.exec(text.slice(start, boxAt))?.[0].length ?? 0;
}

function addObject(text: string, { title, body, group, priority, deps }: NewTask): string | null {
  const { value } = readJsonValue(text, placesOf(text));
  const list =
    value === null
      ? null
      : listIn(
          value,
          readJson(text).drafts.map(({ table }) => table),
        );
  if (list === null) return null;
  const fields = {
    title,
    ...(body === '' ? {} : { description: body }),
    ...(group === null ? {} : { group }),
    ...(priority === null ? {} : { priority: /^\d+$/.test(priority) ? Number(priority) : priority }),
    ...(deps.length === 0 ? {} : { depends_on: deps }),
  };
  const last = list.items.at(-1);
  if (last === undefined) return applyEdits(text, [at(list.start + 1, JSON.stringify(fields))]);
  const before = list.items.at(-2);
  const gap = before === undefined ? `,${text.slice(list.start + 1, last.start)}` : text.slice(before.end, last.start);
  const isSpread = text.slice(last.start, last.end).includes('\n');
  const inner = /\n([ \t]*)$/.exec(text.slice(0, last.start))?.[1] ?? '';
  const shown = isSpread ? JSON.stringify(fields, null, 2).replaceAll('\n', `\n${inner}`) : JSON.stringify(fields);
  return applyEdits(text, [at(last.end, `${gap}${shown}`)]);
}

function addItem(text: string, { title, body, group, priority, deps }: NewTask): string | null {
  const newline = newlineOf(text);
  const { value } = readYamlValue(text, placesOf(text));
  if (value === null) return null;
  const { drafts } = readYaml(text);
  const list = listIn(
    value,
    drafts.map(({ table }) => table),
  );
  const last = list?.items.at(-1);
  const dash = last === undefined ? -1 : text.lastIndexOf('-', last.start);
  const isFlow = list !== null && text[list.start] === '[';
  if (list === null || last === undefined || (dash === -1 && !isFlow)) return null;
  const indent = ' '.repeat(Math.max(0, dash - (text.lastIndexOf('\n', dash - 1) + 1)));
  const id = isGraph(value) ? freeId(title, new Set(drafts.map((draft) => draft.id?.text ?? ''))) : null;
  const fields = [
    ...(id === null ? [] : [`id: ${id}`]),
    `title: ${yamlText(title)}`,
    ...(body === '' ? [] : [`description: ${yamlText(body)}`]),
    ...(group === null ? [] : [`group: ${yamlText(group)}`]),
    ...(priority === null ? [] : [`priority: ${priority}`]),
    ...(deps.length === 0 || id !== null ? [] : [`depends_on: [${deps.map(yamlText).join(', ')}]`]),
    ...(id === null ? [] : ['status: pending']),
  ];
  const item = fields.map((field, index) => `${indent}${index === 0 ? '- ' : '  '}${field}`).join(newline);
  const added = isFlow
    ? at(last.end, `${gapBefore(text, list)}{${fields.join(', ')}}`)
    : lineAfter(text, last.end, item);
  const edges = id === null || deps.length === 0 ? [] : edgesFor(text, value as Table, deps, id);
  return edges === null ? null : applyEdits(text, [...edges, added]);
}

function edgesFor(text: string, graph: Table, deps: readonly TaskId[], id: string): readonly Edit[] | null {
  const edges = graph.entries.get('edges')?.value;
  const shown = deps.map((dep) => `{from: ${yamlText(dep)}, to: ${yamlText(id)}}`);
  if (edges === undefined) {
    const newline = newlineOf(text);
    const ended = /[\r\n]$/.test(text) ? '' : newline;
    return [at(text.length, `${ended}edges:${newline}${shown.map((one) => `  - ${one}${newline}`).join('')}`)];
  }
  if (edges.kind !== 'list') return null;
  const last = edges.items.at(-1);
  if (text[edges.start] === '[') {
    if (last === undefined) return [at(edges.start + 1, shown.join(', '))];
    const gap = gapBefore(text, edges);
    return [at(last.end, shown.map((one) => `${gap}${one}`).join(''))];
  }
  if (last === undefined) return null;
  const dash = text.lastIndexOf('-', last.start);
  const indent = ' '.repeat(dash - (text.lastIndexOf('\n', dash - 1) + 1));
  return [lineAfter(text, last.end, shown.map((one) => `${indent}- ${one}`).join(newlineOf(text)))];
}

/** What stands between the last two items of a list in brackets, so that a new one stands as they do. */
function gapBefore(text: string, { start, items }: List): string {
  const [before, last] = items.slice(-2);
  const opening = /^\[(\s*)/.exec(text.slice(start))?.[1] ?? '';
  if (before === undefined || last === undefined) return opening.includes('\n') ? `,${opening}` : ', ';
  const gap = text.slice(before.end, last.start);
  return /^\s*,\s*$/.test(gap) ? gap : ', ';
}

const at = (offset: number, text: string): Edit => ({ start: offset, end: offset, text });

function lineAfter(text: string, end: number, line: string): Edit {
  const newline = newlineOf(text);
  if (text[end - 1] === '\n') return at(end, `${line}${newline}`);
  const rest = text.slice(end).search(/[\r\n]/);
  return at(rest === -1 ? text.length : end + rest, `${newline}${line}`);
}

/** The list whose items are tasks; with no task yet the first empty one that a known key holds. */
function listIn(root: Value, tables: readonly Table[]): List | null {
  if (root.kind === 'list') return root;
  if (root.kind !== 'table') return null;
  const starts = new Set(tables.map(({ start }) => start));
  const lists = [...root.entries.values()].flatMap(({ value }) => (value.kind === 'list' ? [value] : []));
  return lists.find(({ items }) => items.some((item) => starts.has(item.start))) ?? lists[0] ?? null;
}

function freeId(title: string, taken: ReadonlySet<string>): string {
  const slug =
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 40) || 'task';
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? slug : `${slug}-${n}`;
    if (!taken.has(id)) return id;
  }
}
