import { readProgram } from '../agents/run/agent-file.ts';

/** Whether the agent's own text says that it writes this file outside its worktree; `isAlone`: nobody else runs the same text. */
export function openProgram(dir: string, task: string): (file: string, isAlone: boolean) => boolean {
  let text: string | null = null;
  return (file, isAlone) => {
    text ??= readProgram(dir);
    return writesOutside(text, file, (names) => names?.includes(task) ?? isAlone);
  };
}

/** Places of the agent's own, or of nobody here. */
const OWN_PLACE = /^\$\{?(?:PWD|HOME|TMPDIR|RALPH_\w+)\b/;
/** What stands before a word that is written to. */
const WRITES = [
  /(?:^|[^<\d&=-])>{1,2}\|?\s*["'`]?(?:\$[({].*)?$/,
  /\b(?:rm|touch|truncate|unlink|tee|chmod|mv|sed\s+-i\S*|perl\s+-\S*i\S*)\b[^|;&]*$/,
  /\b(?:writeFile|appendFile|createWriteStream|copyFile|cpSync|rename|unlink|rmSync)\w*\(.*$/,
];
const COPIES = /\b(?:cp|ln|install|rsync)\b[^|;&]*$/;
const IS_LAST = /^["']?\s*(?:$|[;&|)}\n])/;
const PYTHON_AFTER = /^["'][^\n]*(?:write_text|write_bytes|,\s*["'][wax])/;

/** `isMeant`: whether what is for these tasks only is for the one in question; null: it is for all. */
export function writesOutside(
  text: string,
  file: string,
  isMeant: (tasks: readonly string[] | null) => boolean,
): boolean {
  const base = file.slice(file.lastIndexOf('/') + 1);
  // A folder, as git tells of it: every text names it somehow.
  if (base === '') return false;
  for (let at = text.indexOf(base); at !== -1; at = text.indexOf(base, at + 1)) {
    const after = text.slice(at + base.length, at + base.length + 200);
    if (/^[\w./-]/.test(after)) continue;
    const line = text.slice(text.lastIndexOf('\n', at) + 1, at);
    const chunk = /[^\s"'`=><();|&,]*$/.exec(line)?.[0] ?? '';
    const lead = line.slice(0, line.length - chunk.length);
    const tail = tailOf(text.slice(0, at - chunk.length), chunk);
    if (tail === null || !(tail.startsWith('/') ? file === `${tail}${base}` : file.endsWith(`/${tail}${base}`)))
      continue;
    const writes = WRITES.some((one) => one.test(lead)) || PYTHON_AFTER.test(after);
    if ((writes || (COPIES.test(lead) && IS_LAST.test(after))) && isMeant(tasksAt(text.slice(0, at)))) return true;
  }
  return false;
}

const NAMES_MAX = 200;

/** Where a text may write outside the agent's worktree: absolute paths, and ends of paths that a variable begins. */
export function namesWritten(text: string): readonly string[] {
  const names = new Set<string>();
  for (const { 0: word, index } of text.matchAll(/[^\s"'`=><();|&,]+/g)) {
    const base = word.slice(word.lastIndexOf('/') + 1);
    const tail = base === '' ? null : tailOf(text.slice(0, index), word.slice(0, word.length - base.length));
    if (tail === null || names.size >= NAMES_MAX) continue;
    // `../wt-2/x` ends in the name of a worktree, too.
    names.add(`${tail}${base}`);
    if (!tail.startsWith('/') && tail.includes('/')) names.add(`${tail.slice(tail.indexOf('/') + 1)}${base}`);
  }
  return [...names];
}

/** Agents of all tasks are one program, which may ask for its task: `[ $RALPH_TASK_ID = x ]`, `case $RALPH_TASK_ID in x|y)`. */
function tasksAt(before: string): readonly string[] | null {
  const asked = before.lastIndexOf('RALPH_TASK_ID');
  if (asked === -1) return null;
  const since = before.slice(asked);
  const one = /^RALPH_TASK_ID["'}]*\s*={1,3}\s*["']?([\w.-]+)/.exec(since)?.[1];
  if (one !== undefined) return [one];
  const choice = /^RALPH_TASK_ID["'}]*\s+in\b/.test(since)
    ? [...since.matchAll(/(?:\sin|;;)\s*\(?([\w.|* -]+)\)/g)]
    : [];
  const names = choice
    .at(-1)?.[1]
    ?.split('|')
    .map((name) => name.trim());
  return names === undefined || names.includes('*') ? null : names;
}

/** The known end of the path that a name stands in; null: it is one below the agent's own folder. */
function tailOf(before: string, chunk: string): string | null {
  if (OWN_PLACE.test(chunk)) return null;
  const variable = /^(?:\$\w+|\$?\{[^}]*\})\/(.*)$/.exec(chunk)?.[1];
  if (variable !== undefined) return variable;
  // `$(git rev-parse …)/x`, `"$dir"/x`
  if (chunk.startsWith('/')) return /[)"'}]$/.test(before) ? chunk.slice(1) : chunk;
  const up = chunk.lastIndexOf('../');
  if (up !== -1) return chunk.slice(up + 3);
  // `join(main, 'x')`, `Path(main) / 'x'`
  if (/(?:join|resolve)\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*,\s*["'`]$|\)?\s\/\s["']$/.test(before)) return chunk;
  const place = [...before.matchAll(/(?:^|[;&|({\n]|\bthen|\bdo)\s*cd\s+(["']?)([^\s;&|)]+)/g)].at(-1)?.[2];
  const leaves = place !== undefined && /^["']?(?:\$|\/|\.\.)/.test(place) && !OWN_PLACE.test(place);
  return leaves ? chunk.replace(/^\.\//, '') : null;
}
