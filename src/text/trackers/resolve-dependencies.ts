import type { TaskId } from '../../core/model/ids.ts';
import type { Problem } from '../../core/model/task.ts';
import { cleanLine, quote } from './clean.ts';
import type { DependencyRef, Draft } from './draft.ts';

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
export function resolveDependencies(bearers: readonly Bearer[]): Resolved {
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
