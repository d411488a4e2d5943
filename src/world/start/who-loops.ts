import { linkSync, lstatSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readLoopLock } from '../checkout/loop-lock.ts';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { RALPH_LOOP_FILE, readRalphLoop } from '../../text/start/ralph-loop-state.ts';
import { readPlainText } from '../os/files.ts';
import type { LockHolder } from '../checkout/loop-lock.ts';
import type { RalphLoopState } from '../../text/start/ralph-loop-state.ts';

/** Somebody who loops in a folder already. */
export type Occupant =
  | { readonly kind: 'loop'; readonly checkout: string; readonly holder: LockHolder }
  | { readonly kind: 'ralph-loop'; readonly found: FoundRalphLoop };

interface Folders {
  /** The checkout the caller stands in. */
  readonly checkout: string;
  readonly cwd: string;
  /** Where the new work goes; null: it does not exist yet. */
  readonly worktree: string | null;
}

/** Loops of ours and of the ralph-loop plugin that work where the caller is, or where the new one would. */
export function whoLoops({ checkout, cwd, worktree }: Folders): readonly Occupant[] {
  const checkouts = new Set([checkout, ...(worktree === null ? [] : [worktree])]);
  const ours = [...checkouts].flatMap((folder): readonly Occupant[] => {
    const lock = readLoopLock(folder);
    return lock?.isAlive === true ? [{ kind: 'loop', checkout: folder, holder: lock.holder }] : [];
  });
  const found = findRalphLoop([...new Set([cwd, ...checkouts])]);
  if (found === null || found.state?.isActive === false) return ours;
  return [...ours, { kind: 'ralph-loop', found }];
}

export type FoundRalphLoop = { readonly file: string; readonly feature: string | null } & (
  | { readonly state: RalphLoopState; readonly problem: null }
  /** It is there, and nobody can tell what it says. */
  | { readonly state: null; readonly problem: string }
);

/** The state file of ralph-loop in the first of these folders that has one. */
export function findRalphLoop(folders: readonly string[]): FoundRalphLoop | null {
  for (const file of folders.map((folder) => join(folder, RALPH_LOOP_FILE))) {
    const read = readPlainText(file);
    if (read === null) continue;
    if ('fault' in read) return { file, feature: null, state: null, problem: `${file} ${read.fault}` };
    const loop = readRalphLoop(read.text);
    const { feature } = loop;
    if ('state' in loop) return { file, feature, state: loop.state, problem: null };
    return { file, feature, state: null, problem: `${file}:${loop.problem.line} ${loop.problem.message}` };
  }
  return null;
}

/** Moves a state file aside, so that its loop ends at the next stop. Nothing that exists is overwritten. */
export function keepAside(file: string, now: Date): string {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  for (let n = 1; ; n += 1) {
    const kept = `${file}.kept-${time}${n === 1 ? '' : `-${n}`}`;
    if (lstatSync(kept, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      linkSync(file, kept);
      unlinkSync(file);
      return kept;
    } catch (cause) {
      const { code = String(cause) } = cause as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      // Not every disk has hard links.
      if (code === 'EPERM' || code === 'ENOTSUP') return renamed(file, kept);
      throw new AppError('E_STATE_UNWRITABLE', `${file} cannot be moved aside: ${code}`, {
        cause,
        remedy: `mv ${shellWord(file)} ${shellWord(kept)}`,
      });
    }
  }
}

function renamed(file: string, kept: string): string {
  renameSync(file, kept);
  return kept;
}
