import { readLoopLock } from '../checkout/loop-lock.ts';
import type { LockHolder } from '../checkout/loop-lock.ts';
import { findRalphLoop } from './ralph-loop-file.ts';
import type { FoundRalphLoop } from './ralph-loop-file.ts';

/** Somebody who loops in a folder already. */
export type Occupant =
  | { readonly kind: 'loop'; readonly checkout: string; readonly holder: LockHolder }
  | { readonly kind: 'ralph-loop'; readonly found: FoundRalphLoop };

export interface Folders {
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
