import { createReadStream } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DATE, TRACE_FILE } from './trace-place.ts';

/** One git process of the agent. */
export interface GitCommand {
  /** `commit`, `update-ref` … */
  readonly name: string;
  readonly args: readonly string[];
  /** Null: it found none. */
  readonly worktree: string | null;
  /** Git folders whose index it used: `GIT_DIR` may lead elsewhere than the worktree. */
  readonly gitDirs: ReadonlySet<string>;
  readonly fromMs: number;
  readonly toMs: number;
  /** Null: killed. */
  readonly code: number | null;
  /** It started other commands. */
  readonly hasChildren: boolean;
  /** It was started by a hook that another git of the agent's ran, whatever the hook did in between. */
  readonly isInHook: boolean;
  /** It was told which date to write down. */
  readonly isDated?: boolean;
}

/** More than any honest iteration writes; what comes later is not read. */
const BYTES_MAX = 64 * 1024 * 1024;
/** File times and the seconds of reflogs are of the kernel's last tick: they lag behind the clock by up to one. */
const TICK_MS = 10;
/** What a command that was killed did, it mostly did soon after it began, or after its hooks. */
const KILLED_AFTER_MS = 2000;
const TOLD = /^\{"event":"(version|start|def_param|def_repo|region_enter|child_start|child_exit|signal|exit|atexit)"/;

/** `hooks`: its children that are hooks and have not ended; `waitedMs`: for those that have, and others. */
type Draft = { -readonly [K in keyof GitCommand]: GitCommand[K] } & { hooks: ReadonlySet<unknown>; waitedMs: number };

/** What git wrote down of an iteration, in order. */
export async function readTrace(dir: string): Promise<readonly GitCommand[]> {
  const drafts = new Map<string, Draft>();
  const stream = createReadStream(join(dir, TRACE_FILE), { end: BYTES_MAX });
  const lines = createInterface({ input: stream, crlfDelay: Infinity });
  const opened = new Promise<boolean>((done) => {
    stream.once('open', () => done(true));
    stream.once('error', () => done(false));
  });
  if (!(await opened)) return [];
  for await (const line of lines) if (TOLD.test(line)) take(drafts, line);
  const begun = [...drafts.values()].filter(({ name }) => name !== '');
  return begun.map((one) =>
    one.toMs === Infinity ? { ...one, toMs: one.fromMs + one.waitedMs + KILLED_AFTER_MS } : one,
  );
}

function take(drafts: Map<string, Draft>, line: string): void {
  let event: Record<string, unknown>;
  try {
    event = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return;
  }
  const id = String(event['sid']);
  const draft = drafts.get(id) ?? newDraft(drafts.get(id.slice(0, id.lastIndexOf('/'))));
  drafts.set(id, draft);
  const atMs = typeof event['time'] === 'string' ? Date.parse(event['time']) : Number.NaN;
  if (event['event'] === 'version') draft.fromMs = atMs;
  else if (event['event'] === 'start') Object.assign(draft, commandOf(event['argv']));
  else if (event['event'] === 'def_param') draft.isDated ||= event['param'] === DATE;
  else if (event['event'] === 'def_repo') draft.worktree ??= textOrNull(event['worktree']);
  else if (event['event'] === 'region_enter') noteIndex(draft, event);
  else if (event['event'] === 'child_start') noteChild(draft, event);
  else if (event['event'] === 'child_exit') noteChildEnd(draft, event);
  // Only some events say when they were; this one says how long after the beginning.
  else if (event['event'] === 'signal') draft.toMs = draft.fromMs + millisecondsIn(event['t_abs']);
  else if (event['event'] === 'exit') draft.code = Number(event['code']);
  else draft.toMs = atMs;
}

/** A git names the one that it descends from; the file has everything in the order in which it happened. */
const newDraft = (parent: Draft | undefined): Draft => ({
  name: '',
  args: [],
  worktree: null,
  gitDirs: new Set(),
  fromMs: 0,
  toMs: Infinity,
  code: null,
  hasChildren: false,
  isInHook: parent !== undefined && (parent.isInHook || parent.hooks.size > 0),
  hooks: new Set(),
  waitedMs: 0,
  isDated: false,
});

function noteChild(draft: Draft, event: Record<string, unknown>): void {
  draft.hasChildren = true;
  if (event['child_class'] === 'hook') draft.hooks = new Set([...draft.hooks, event['child_id']]);
}

function noteChildEnd(draft: Draft, event: Record<string, unknown>): void {
  draft.hooks = new Set([...draft.hooks].filter((child) => child !== event['child_id']));
  draft.waitedMs += millisecondsIn(event['t_rel']);
}

const millisecondsIn = (seconds: unknown): number => (typeof seconds === 'number' ? Math.ceil(seconds * 1000) : 0);

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function noteIndex(draft: Draft, event: Record<string, unknown>): void {
  const file = textOrNull(event['msg']);
  if (!String(event['label']).endsWith('_index') || file === null || draft.worktree === null) return;
  const [, gitDir] = /^(.*)\/index(?:\.lock)?$/.exec(resolve(draft.worktree, file)) ?? [];
  if (gitDir !== undefined) draft.gitDirs = new Set([...draft.gitDirs, gitDir]);
}

/** Options of git itself that take the next word with them. */
const VALUED = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env']);

function commandOf(argv: unknown): Pick<GitCommand, 'name' | 'args'> {
  const words = Array.isArray(argv) ? argv.map(String) : [];
  const dashed = /^git-(.+)$/.exec(basename(words[0] ?? ''))?.[1];
  if (dashed !== undefined) return { name: dashed, args: words.slice(1) };
  let at = 1;
  while (words[at]?.startsWith('-') === true) at += VALUED.has(words[at] ?? '') ? 2 : 1;
  return { name: words[at] ?? '', args: words.slice(at + 1) };
}

/** Whether something happened while the command ran. File times know parts of the last millisecond. */
export const isDuring = (command: GitCommand, atMs: number): boolean =>
  atMs >= command.fromMs - TICK_MS && atMs < command.toMs + 1;

/** The same for a time that knows only seconds: what begins with a second may write down the one before. */
export const isDuringSecond = (command: GitCommand, atSeconds: number): boolean =>
  atSeconds >= Math.floor((command.fromMs - TICK_MS) / 1000) && atSeconds <= Math.floor(command.toMs / 1000);

/** It did what it was told, or was killed at it. */
export const mayHaveWorked = (command: GitCommand): boolean => command.code === 0 || command.code === null;
