import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Sha } from '../../core/model/ids.ts';
import type { FeatureNote } from '../worktrees/feature-note.ts';
import { readAdminNote, writeAdminNote } from '../worktrees/admin-note.ts';
import type { Repository } from '../git/run/repository.ts';

/**
 * What is known of a worktree that a person removed and that no commit tells. It proves that the place a keep names is one we
 * took it from: refs come from anywhere.
 */
export interface TakenNote {
  readonly path: string;
  /** When it was taken; the same work may be taken more than once. */
  readonly atMs: number;
  /** Whether the taking came to its end. */
  readonly isGone: boolean;
  /** What stood beside the worktree about it. */
  readonly feature: FeatureNote | null;
}

/** Null: nobody took it away, or not the way a person does. */
export function readTakenNote(repo: Repository, commit: Sha): TakenNote | null {
  const note = readAdminNote(folderOf(repo), nameOf(commit)) as Partial<TakenNote> | null;
  const isWhole = typeof note?.path === 'string' && Number.isInteger(note.atMs) && typeof note.isGone === 'boolean';
  return isWhole ? (note as TakenNote) : null;
}

/** On the disk when it returns. */
export function writeTakenNote(repo: Repository, commit: Sha, note: TakenNote): void {
  mkdirSync(folderOf(repo), { recursive: true });
  writeAdminNote(folderOf(repo), nameOf(commit), note);
}

export const forgetTaken = (repo: Repository, commit: Sha): void =>
  rmSync(join(folderOf(repo), nameOf(commit)), { force: true });

const folderOf = ({ stateDir }: Repository): string => join(stateDir, 'taken');
const nameOf = (commit: Sha): string => `${commit}.json`;
