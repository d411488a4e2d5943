import type { Draft, Drafts, DependencyRef } from './draft.ts';
import { unreadable } from './draft.ts';
import type { Place } from './places.ts';
import type { FieldDraft, Reader } from './read-fields.ts';
import { complain, readFields, readTasks, written } from './read-fields.ts';
import type { Table, Value } from './value.ts';

/** A file that has nodes is a graph, whatever else it lists: its stories and milestones are not worked on themselves. */
export const isGraph = (root: Value): root is Table => root.kind === 'table' && root.entries.has('nodes');

/** The tasks of a YAML file: a list of them, or the nodes of a graph. */
export const readValues = (text: string, root: Value, placeOf: Reader['placeOf']): Drafts<FieldDraft> =>
  isGraph(root) ? readGraph(text, root, placeOf) : readFields(text, root, placeOf);

/** An edge leads from what comes first to what builds on it. */
function readGraph(text: string, graph: Table, placeOf: Reader['placeOf']): Drafts<FieldDraft> {
  const reader: Reader = { text, placeOf, problems: [] };
  const nodes = itemsOf(reader, graph, 'nodes');
  if (nodes === null) return unreadable(...reader.problems);
  const drafts = readTasks(reader, nodes);
  const edges = edgesOf(reader, graph, new Set(drafts.map((draft) => draft.id?.text ?? '')));
  return {
    readable: true,
    drafts: drafts.map((draft) => ({
      ...draft,
      graph,
      body: [draft.body, ...pointers(reader, graph, draft)].filter((part) => part !== '').join('\n'),
      deps: [...draft.deps, ...(edges.get(draft.id?.text ?? '') ?? [])],
    })),
    problems: reader.problems,
  };
}

/** What a key lists; null where it is no list. */
function itemsOf(reader: Reader, table: Table, name: string): readonly Value[] | null {
  const value = table.entries.get(name)?.value;
  if (value === undefined || (value.kind === 'scalar' && value.text === null)) return [];
  if (value.kind === 'list') return value.items;
  complain(reader, value, `"${name}" must be a list`);
  return null;
}

/** What each node builds on. An end of an edge that is no node is told where it is written. */
function edgesOf(
  reader: Reader,
  graph: Table,
  ids: ReadonlySet<string>,
): ReadonlyMap<string, readonly DependencyRef[]> {
  const found = new Map<string, DependencyRef[]>();
  for (const edge of itemsOf(reader, graph, 'edges') ?? []) {
    if (edge.kind !== 'table') {
      complain(reader, edge, 'an edge must say from which node it leads to which: {from: A, to: B}');
      continue;
    }
    const [from, to] = [endOf(reader, edge, 'from', ids), endOf(reader, edge, 'to', ids)];
    if (from === null || to === null) continue;
    found.set(to.text, [...(found.get(to.text) ?? []), { ...from, style: 'name' }]);
  }
  return found;
}

function endOf(
  reader: Reader,
  edge: Table,
  name: 'from' | 'to',
  ids: ReadonlySet<string>,
): (Place & { readonly text: string }) | null {
  const end = written(reader, edge, [name]);
  if (end === null) {
    if (!edge.entries.has(name)) complain(reader, edge, `this edge does not say "${name}"`);
    return null;
  }
  if (ids.has(end.text)) return end;
  reader.problems.push({
    line: end.line,
    column: end.column,
    message: `unknown node in an edge: ${JSON.stringify(end.text)} is no node of this graph`,
  });
  return null;
}

/** Where an agent reads more of a node: its own paper, its story, and what it is to make. */
function pointers(reader: Reader, graph: Table, { table, marks }: FieldDraft & Pick<Draft, 'marks'>): string[] {
  const story = (itemsOf(reader, graph, 'stories') ?? []).find(
    (one) => one.kind === 'table' && marks?.story !== undefined && textAt(one, 'id') === marks.story,
  );
  const about =
    story?.kind === 'table'
      ? [`Story ${marks?.story ?? ''}: ${textAt(story, 'title') ?? ''}`, pointer('Read', textAt(story, 'path'))]
      : [];
  return [pointer('Read', textAt(table, 'path')), pointer('Output', textAt(table, 'output')), ...about].filter(
    (line) => line !== '',
  );
}

const pointer = (what: string, path: string | null): string => (path === null ? '' : `${what}: ${path}`);

export function textAt(table: Table, name: string): string | null {
  const value = table.entries.get(name)?.value;
  return value?.kind === 'scalar' ? value.text : null;
}
