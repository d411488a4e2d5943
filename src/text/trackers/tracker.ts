import type { TaskId } from '../../core/model/ids.ts';
import type { Task } from '../../core/model/task.ts';
import { checkTasks } from './check-tasks.ts';
import type { Drafts, ParsedTasks } from './draft.ts';
import { unreadable } from './draft.ts';
import { readJson, tickJson } from './json.ts';
import { readMarkdown, tickMarkdown } from './markdown.ts';
import { placesOf } from './places.ts';
import type { TrackerKind } from './tracker-names.ts';
import { readYaml, tickYaml } from './yaml.ts';

export type { ParsedTasks } from './draft.ts';
export type Ticked =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'absent' | 'already' | 'unsafe' };

const FILE_MB_MAX = 4;
const FILE_CHARS_MAX = FILE_MB_MAX * 1_048_576;
const BOM = '\uFEFF';

/** A format splits into reading drafts and ticking the n-th of them. */
interface Opened {
  readonly read: Drafts;
  readonly tick: (index: number) => string | null;
}

/** Reads the tasks of a file and everything that is wrong with it. */
export function parseTracker(kind: TrackerKind, text: string): ParsedTasks {
  const { read } = open(kind, withoutBom(text));
  return parsed(read);
}

/** Marks one task done, changing nothing else; the new text is read again to make sure of that. */
export function tickTask(kind: TrackerKind, text: string, id: TaskId): Ticked {
  const plain = withoutBom(text);
  const { read, tick } = open(kind, plain);
  if (!read.readable) return { ok: false, reason: 'unsafe' };
  const before = parsed(read);
  const bearers = before.tasks.filter((task) => task.id === id);
  if (bearers.length !== 1) return { ok: false, reason: bearers.length === 0 ? 'absent' : 'unsafe' };
  const index = before.tasks.findIndex((task) => task.id === id);
  if (before.tasks[index]?.status === 'done') return { ok: false, reason: 'already' };
  const ticked = tick(index);
  if (ticked === null || !onlyTicked(before, parseTracker(kind, ticked), index)) return { ok: false, reason: 'unsafe' };
  return { ok: true, text: text.slice(0, text.length - plain.length) + ticked };
}

function open(kind: TrackerKind, text: string): Opened {
  const refusal = refuse(text);
  if (refusal !== null) return { read: refusal, tick: () => null };
  switch (kind) {
    case 'markdown':
      return opened(text, readMarkdown(text), tickMarkdown);
    case 'json':
      return opened(text, readJson(text), tickJson);
    case 'yaml':
      return opened(text, readYaml(text), tickYaml);
  }
}

function opened<Read extends Drafts['drafts'][number]>(
  text: string,
  read: Drafts<Read>,
  tick: (text: string, draft: Read) => string | null,
): Opened {
  const tickOf = (index: number): string | null => {
    const draft = read.drafts[index];
    return draft === undefined ? null : tick(text, draft);
  };
  return { read, tick: tickOf };
}

function refuse(text: string): Drafts | null {
  if (text.length > FILE_CHARS_MAX)
    return unreadable({ line: 1, column: 1, message: `the file is larger than ${FILE_MB_MAX} MB` });
  const nul = text.indexOf('\0');
  if (nul !== -1) return unreadable({ ...placesOf(text)(nul), message: 'the file is not text: it holds a NUL byte' });
  return text.trim() === '' ? { readable: true, drafts: [], problems: [] } : null;
}

function parsed(read: Drafts): ParsedTasks {
  const none = read.drafts.length === 0 && read.problems.length === 0;
  return none ? { tasks: [], problems: [{ line: 1, column: 1, message: 'no tasks in this file' }] } : checkTasks(read);
}

export function withoutBom(text: string): string {
  return text.startsWith(BOM) ? text.slice(1) : text;
}

function onlyTicked(before: ParsedTasks, after: ParsedTasks, index: number): boolean {
  const wanted = before.tasks.map((task, at) =>
    essence(at === index ? { ...task, status: 'done', blockedReason: null } : task),
  );
  const found = after.tasks.map(essence);
  return (
    wanted.length === found.length &&
    wanted.every((task, at) => task === found[at]) &&
    before.problems.length === after.problems.length
  );
}

/** All of a task but its line, which an added field above may move. */
function essence({ line: _line, ...task }: Task): string {
  return JSON.stringify(task);
}
