import type { TaskId } from '../../core/model/ids.ts';
import { taskId } from '../../core/model/ids.ts';
import type { Problem, Task } from '../../core/model/task.ts';
import { cleanLine, cleanText, hasUnseen, quote } from './clean.ts';
import { findCycles } from './cycles.ts';
import type { Draft, Drafts, ParsedTasks, Written } from './draft.ts';
import { resolveDependencies } from './resolve-dependencies.ts';
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
