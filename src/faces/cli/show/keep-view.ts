import { shellWord } from '../../../core/model/shell-word.ts';
import { howMany, isoMs } from '../../../core/model/describe-time.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { findOne } from '../../call/find-one.ts';
import type { State } from '../../../core/model/model.ts';
import type { Keep } from '../../../world/keep/list-keeps.ts';

/** What people and scripts are shown of a keep. */
export interface KeepView {
  readonly id: string;
  readonly ref: string;
  readonly at: string;
  readonly act: string;
  readonly why: string;
  readonly loop: string | null;
  readonly task: string | null;
  readonly branch: string | null;
  readonly path: string | null;
  readonly commit: string;
  readonly head: string | null;
  readonly files: number;
  readonly landed: boolean;
  readonly undone: boolean;
  readonly next: string;
}

export function keepView(state: State, keep: Keep, landed: boolean): KeepView {
  const loop = Object.values(state.loops).find((one) => one.id === (keep.loop ?? keep.name));
  const { id, ref, act, why, path, commit, head, files } = keep;
  return {
    id,
    ref,
    at: isoMs(keep.atMs),
    act,
    why,
    loop: loop?.id ?? keep.loop,
    task: keep.task ?? (loop === undefined ? null : taskIdOf(state, loop.task)),
    branch: keep.branch ?? loop?.branch ?? null,
    path,
    commit,
    head,
    files,
    landed,
    undone: keep.isUndone,
    next: restoreCommand(id),
  };
}

/**
 * The keep that an id, its digits or a unique beginning of either names; also its ref or commit, as other messages tell them. What
 * fits several of one loop means the newest.
 */
export function findKeep(keeps: readonly Keep[], word: string): Keep {
  const exact = keeps.find(({ ref, commit }) => ref === word || commit === word);
  if (exact !== undefined) return exact;
  const namesOf = (keep: Keep): readonly string[] => [keep.id, keep.digits];
  const fitting = keeps.filter((keep) => word.trim() !== '' && namesOf(keep).some((name) => name.startsWith(word)));
  const [newest] = fitting;
  if (newest !== undefined && fitting.every(({ name }) => name === newest.name)) return newest;
  return findOne(keeps, namesOf, word, 'keep', 'ralph keep list');
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** How long ago, as short as people say it. */
export function age(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.floor(ms / 1000))}s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m`;
  const hours = Math.floor(ms / HOUR_MS);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

export const filesText = (n: number): string => (n === 0 ? 'nothing uncommitted' : howMany(n, 'uncommitted file'));

export const restoreCommand = (id: string): string => `ralph keep restore ${shellWord(id)}`;
