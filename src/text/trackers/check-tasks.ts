import type { TaskId } from '../../core/model/ids.ts';
import { taskId } from '../../core/model/ids.ts';
import type { Problem, Task } from '../../core/model/task.ts';
import { cleanLine, cleanText, hasUnseen, quote } from './clean.ts';
import type { Draft, Drafts, ParsedTasks, Written, DependencyRef } from './draft.ts';
import { stableIds } from './stable-ids.ts';

const NAME_CHARS_MAX = 512;
const CYCLE_NAMES_MAX = 50;

/** Gives every draft its id, looks up what it depends on, and tells everything that is wrong at once. */
export function checkTasks(read: Drafts): ParsedTasks {
  const problems: Problem[] = [...read.problems];
  const named = read.drafts.map((draft) => {
    const title = cleanLine(draft.title);
    if (title === '') problems.push(problemAt(draft, 'this task has no title'));
    return { draft, title, id: usableName('id', draft.id, problems), group: groupOf(draft, problems) };
  });
  const ids = stableIds(named).map(taskId);
  problems.push(
    ...duplicates(
      named.map((each) => each.draft),
      ids,
    ),
  );

  const bearers = named.map((each, index) => ({ draft: each.draft, title: each.title, id: ids[index] as TaskId }));
  const resolved = resolveDependencies(bearers);
  problems.push(...resolved.problems);

  const tasks = named.map(({ draft, title, group }, index): Task => ({
    id: ids[index] as TaskId,
    title,
    body: cleanText(draft.body),
    acceptance: draft.acceptance.map(cleanLine).filter((line) => line !== ''),
    group,
    deps: resolved.deps[index] ?? [],
    priority: draft.priority,
    status: draft.status,
    blockedReason: draft.blockedReason === null ? null : cleanLine(draft.blockedReason),
    line: draft.line,
    ...draft.marks,
  }));
  problems.push(...cycles(tasks, read.drafts));
  return { tasks, problems: problems.sort((a, b) => a.line - b.line || a.column - b.column) };
}

function problemAt(place: { readonly line: number; readonly column: number }, message: string): Problem {
  return { line: place.line, column: place.column, message };
}

function groupOf(draft: Draft, problems: Problem[]): string | null {
  return draft.group === null || draft.group.text.trim() === '' ? null : usableName('group', draft.group, problems);
}

function usableName(what: string, name: Written | null, problems: Problem[]): string | null {
  if (name === null) return null;
  const wrong =
    name.text.trim() === ''
      ? 'is empty'
      : name.text.length > NAME_CHARS_MAX
        ? `is longer than ${NAME_CHARS_MAX} characters`
        : hasUnseen(name.text)
          ? 'holds a control or invisible character'
          : null;
  if (wrong === null) return name.text;
  problems.push(problemAt(name, `the ${what} ${quote(name.text)} ${wrong}`));
  return null;
}

function duplicates(drafts: readonly Draft[], ids: readonly TaskId[]): Problem[] {
  const firstLine = new Map<TaskId, number>();
  const problems: Problem[] = [];
  for (const [index, id] of ids.entries()) {
    const draft = drafts[index] as Draft;
    const first = firstLine.get(id);
    if (first === undefined) firstLine.set(id, draft.line);
    else problems.push(problemAt(draft.id ?? draft, `duplicate id ${quote(id)}: it is already used on line ${first}`));
  }
  return problems;
}

function cycles(tasks: readonly Task[], drafts: readonly Draft[]): Problem[] {
  const edges = new Map<string, readonly string[]>();
  const places = new Map<string, Draft>();
  for (const [index, task] of tasks.entries()) {
    if (edges.has(task.id)) continue;
    edges.set(task.id, task.deps);
    places.set(task.id, drafts[index] as Draft);
  }
  return findCycles(edges).map((cycle) => {
    const start = places.get(cycle[0] as string) as Draft;
    return problemAt(start.deps[0] ?? start, `dependency cycle: ${cycleText(cycle)}`);
  });
}

function cycleText(cycle: readonly string[]): string {
  const names = cycle.slice(0, CYCLE_NAMES_MAX).map(quote);
  const rest = cycle.length - names.length;
  return [...names, ...(rest > 0 ? [`${rest} more`] : []), quote(cycle[0] as string)].join(' -> ');
}

const CYCLES_MAX = 100;

interface Frame {
  readonly node: string;
  readonly next: Iterator<string>;
}

/**
 * The cycles of a graph, each once, as the path that closes it (its first name is not repeated). A cycle made only of
 * nodes already named is left out: breaking the named ones is the way to it anyway. No recursion: chains may be long.
 */
function findCycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const named = new Set<string>();
  const finished = new Set<string>();
  for (const root of edges.keys()) {
    if (finished.has(root)) continue;
    const depthOf = new Map<string, number>([[root, 0]]);
    const path: Frame[] = [{ node: root, next: successors(edges, root) }];
    while (path.length > 0) {
      const frame = path[path.length - 1] as Frame;
      const step = frame.next.next();
      if (step.done === true) {
        path.pop();
        depthOf.delete(frame.node);
        finished.add(frame.node);
        continue;
      }
      const start = depthOf.get(step.value);
      if (start !== undefined) {
        const cycle = path.slice(start).map((each) => each.node);
        if (cycles.length < CYCLES_MAX && cycle.some((node) => !named.has(node))) cycles.push(cycle);
        for (const node of cycle) named.add(node);
      } else if (!finished.has(step.value)) {
        depthOf.set(step.value, path.length);
        path.push({ node: step.value, next: successors(edges, step.value) });
      }
    }
  }
  return cycles;
}

function successors(edges: ReadonlyMap<string, readonly string[]>, node: string): Iterator<string> {
  return (edges.get(node) ?? [])[Symbol.iterator]();
}

interface Bearer {
  readonly draft: Draft;
  readonly title: string;
  readonly id: TaskId;
}

interface Resolved {
  /** In the order of the tasks. A dependency that means nothing is left out and reported. */
  readonly deps: readonly (readonly TaskId[])[];
  readonly problems: readonly Problem[];
}

type Found = { readonly id: TaskId } | 'unknown' | 'ambiguous';
type Find = (name: string, style: DependencyRef['style']) => Found;

/** Words that say there is no dependency. */
const NOTHING = new Set(['', '-', 'none', 'nothing', 'n/a']);

/** Finds the task each dependency means: by id, else by exact title, else (in prose) by position. */
function resolveDependencies(bearers: readonly Bearer[]): Resolved {
  const find = finderFor(bearers);
  const problems: Problem[] = [];
  const deps = bearers.map((bearer) => {
    const found = new Set<TaskId>();
    for (const ref of bearer.draft.deps) {
      for (const name of namesIn(ref, find)) {
        const hit = find(name, ref.style);
        if (typeof hit === 'object' && hit.id !== bearer.id) found.add(hit.id);
        else problems.push({ line: ref.line, column: ref.column, message: complaint(bearer, name, hit) });
      }
    }
    return [...found];
  });
  return { deps, problems };
}

function complaint(bearer: Bearer, name: string, hit: Found): string {
  if (typeof hit === 'object') return `${quote(bearer.id)} depends on itself`;
  const known = `${quote(bearer.id)} depends on ${quote(name)}, which`;
  if (hit === 'unknown') return `unknown dependency: ${known} is no task of this file`;
  return `ambiguous dependency: ${known} is the title of several tasks: name one by its id`;
}

/** A text with commas is one name if a task bears it, else a list of names. */
function namesIn(ref: DependencyRef, find: Find): string[] {
  if (ref.style === 'name') return [ref.text];
  const whole = ref.text.trim();
  if (find(whole, ref.style) !== 'unknown') return [whole];
  if (NOTHING.has(whole.toLowerCase())) return [];
  return whole
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function finderFor(bearers: readonly Bearer[]): Find {
  const byId = new Map<string, TaskId>();
  const byTitle = new Map<string, TaskId | 'ambiguous'>();
  for (const { id, title } of bearers) {
    byId.set(id, id);
    byTitle.set(title, byTitle.has(title) ? 'ambiguous' : id);
  }
  const exactly = (name: string): Found => {
    const id = byId.get(name);
    if (id !== undefined) return { id };
    const titled = byTitle.get(cleanLine(name));
    if (titled === 'ambiguous') return 'ambiguous';
    return titled === undefined ? 'unknown' : { id: titled };
  };
  return (name, style) => {
    const hit = exactly(name);
    if (hit !== 'unknown' || style !== 'prose') return hit;
    const bare = name.replaceAll('`', '').trim();
    const unquoted = exactly(bare);
    if (unquoted !== 'unknown') return unquoted;
    const position = /^#?(\d{1,6})$/.exec(bare)?.[1];
    const at = position === undefined ? undefined : bearers[Number(position) - 1];
    return at === undefined ? 'unknown' : { id: at.id };
  };
}
