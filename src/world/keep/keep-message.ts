import type { LoopId, Sha } from '../../core/model/ids.ts';
import { loopId, sha } from '../../core/model/ids.ts';

/** Why something was about to go. */
export type KeepAct =
  | 'discard'
  | 'clean'
  | 'prune'
  | 'retry'
  | 'reset'
  | 'reuse'
  | 'stop'
  | 'leak'
  | 'repair'
  | 'in-place'
  | 'remove'
  | 'spare';

/** What takes worktrees away, and so can be taken back. */
export const TAKING: readonly (KeepAct | 'pin')[] = ['discard', 'clean', 'prune', 'remove'];

/** What a keep tells of itself, as trailers of its commit. */
export interface KeepNote {
  readonly act: KeepAct | 'pin';
  readonly why: string;
  readonly loop: LoopId | null;
  readonly task: string | null;
  /** The loop's own branch. */
  readonly branch: string | null;
  /** Where that branch stood. */
  readonly tip: Sha | null;
  /** Where the worktree was; null: there was none. */
  readonly path: string | null;
  readonly atMs: number;
  /** The commit the worktree stood on; null: a branch without commits. */
  readonly head: Sha | null;
  /** The branch it stood on; null: none. */
  readonly on: string | null;
  /** The commit whose tree is the index; null: the index was that of `head`. */
  readonly index: Sha | null;
  /** The commit with what git had noted of an operation under way. */
  readonly operation: Sha | null;
  /** How many files differ from `head`. */
  readonly files: number;
  /** What was taken away by one and the same call carries the same word. */
  readonly together: string | null;
}

const NAMES = {
  act: 'Ralph-Keep-Act',
  why: 'Ralph-Keep-Why',
  loop: 'Ralph-Keep-Loop',
  task: 'Ralph-Keep-Task',
  branch: 'Ralph-Keep-Branch',
  tip: 'Ralph-Keep-Tip',
  path: 'Ralph-Keep-Path',
  atMs: 'Ralph-Keep-At',
  head: 'Ralph-Keep-Head',
  on: 'Ralph-Keep-On',
  index: 'Ralph-Keep-Index',
  operation: 'Ralph-Keep-Operation',
  files: 'Ralph-Keep-Files',
  together: 'Ralph-Keep-Together',
} as const satisfies Record<keyof KeepNote, string>;

/** The message of a keep's commit. Values are JSON: paths and reasons may hold anything, and a line must stay a line. */
export function writeKeepMessage(note: KeepNote): string {
  const lines = Object.entries(NAMES).flatMap(([field, name]) => {
    const value = note[field as keyof KeepNote];
    if (value === null) return [];
    const written = field === 'atMs' ? new Date(value).toISOString() : value;
    return [`${name}: ${typeof written === 'string' && isPlain(written) ? written : JSON.stringify(written)}`];
  });
  return [`Keep ${note.loop ?? note.branch ?? 'work'} before ${note.act}`, '', ...lines, ''].join('\n');
}

const isPlain = (text: string): boolean => /^[^\s"\p{Cc}](?:[^"\p{Cc}]*[^\s"\p{Cc}])?$/u.test(text);

/** Null: a commit that is kept by itself and tells nothing. */
export function readKeepMessage(message: string): KeepNote | null {
  const found = new Map<string, string>();
  for (const line of message.split('\n')) {
    const [, name, value] = /^(Ralph-Keep-[A-Za-z]+): (.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) found.set(name, decoded(value));
  }
  const text = (field: keyof KeepNote): string | null => found.get(NAMES[field]) ?? null;
  const commit = (field: keyof KeepNote): Sha | null => {
    const value = text(field);
    return value !== null && /^[0-9a-f]{40,64}$/.test(value) ? sha(value) : null;
  };
  const act = text('act');
  if (act === null) return null;
  const loop = text('loop');
  return {
    act: act as KeepAct,
    why: text('why') ?? '',
    loop: loop === null ? null : loopId(loop),
    task: text('task'),
    branch: text('branch'),
    tip: commit('tip'),
    path: text('path'),
    atMs: Date.parse(text('atMs') ?? '') || 0,
    head: commit('head'),
    on: text('on'),
    index: commit('index'),
    operation: commit('operation'),
    files: Number(text('files') ?? 0) || 0,
    together: text('together'),
  };
}

function decoded(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value;
  }
}
