import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { reach } from '../os/failpoint.ts';
import { readFeatureNote } from '../worktrees/feature-note.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { moveRef, readRef } from '../git/refs/refs.ts';
import { adminDirOf, isBelow } from '../git/files/worktree-admin.ts';
import { LOCK_REASON, readAdminNote, writeAdminNote } from '../worktrees/loop-notes.ts';
import { TAKING } from './keep-message.ts';
import { UNDONE, listKeeps } from './list-keeps.ts';
import { wholeCommit, inTheWay, restoreWorktree } from './restore-worktree.ts';
import type { State } from '../../core/model/model.ts';
import type { KeepPlace } from './keep.ts';
import type { Keep } from './list-keeps.ts';
import type { AwayPlace } from './take-away.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { FeatureNote } from '../worktrees/feature-note.ts';
import type { Repository } from '../git/run/repository.ts';

/** Everything the last act took away and that is not back yet; none: there is nothing to undo. */
export async function lastTaken(place: KeepPlace, state: State): Promise<readonly Keep[]> {
  const keeps = (await listKeeps(place.view)).filter((keep) => TAKING.includes(keep.act) && !keep.isUndone);
  const taken = keeps.filter((keep) => isBelievable(place, keep)).sort((a, b) => takenAt(place, b) - takenAt(place, a));
  for (const newest of taken) {
    const together = taken.filter(
      (keep) => keep === newest || (keep.together !== null && keep.together === newest.together),
    );
    const gone: Keep[] = [];
    for (const keep of together) if (await isGone(place, state, keep)) gone.push(keep);
    if (gone.length > 0) return gone;
  }
  return [];
}

const noteOf = ({ repo }: KeepPlace, { act, commit }: Keep): TakenNote | null =>
  act === 'remove' ? readTakenNote(repo, commit) : null;

/** A worktree of a person's may have been anywhere: only what was written down when it went says where. */
const isBelievable = (place: KeepPlace, keep: Keep): boolean =>
  keep.act !== 'remove' || keep.path === null || noteOf(place, keep)?.path === keep.path;

const takenAt = (place: KeepPlace, keep: Keep): number => noteOf(place, keep)?.atMs ?? keep.atMs;

/** An act that was cut short before it removed anything took nothing. */
async function isGone(place: KeepPlace, state: State, keep: Keep): Promise<boolean> {
  const phase = keep.loop === null ? undefined : state.loops[keep.loop]?.phase;
  if (keep.act === 'discard' && phase?.at === 'parked' && phase.reason === 'discarded') return true;
  if (keep.path !== null && !isBack(place, keep)) return true;
  return hasBranch(keep) && (await readRef(place.view, branchRef(keep))) === null;
}

/** Why it cannot come back to where it was; null: it can. */
export async function whyNotBack(place: AwayPlace, keep: Keep): Promise<string | null> {
  // Whoever can write a ref could name any place.
  const isKnown = keep.path === null || isBelow(place.worktreeRoot, keep.path) || noteOf(place, keep) !== null;
  if (!isKnown) return `${keep.path ?? ''} is not below ${place.worktreeRoot}`;
  const now = hasBranch(keep) ? await readRef(place.view, branchRef(keep)) : null;
  if (now !== null && now !== keep.tip) return `there is a branch ${keep.branch ?? ''} with other commits`;
  if (keep.path === null || isBack(place, keep)) return null;
  return inTheWay(place, keep.path, standsOn(keep));
}

/** Whether its worktree stands: an undo, or the act itself, was cut short. Another loop's at the same path is not it. */
function isBack(place: KeepPlace, keep: Keep): boolean {
  const { repo } = place;
  const adminDir = keep.path === null || !existsSync(keep.path) ? null : adminDirOf(repo, keep.path);
  const head = adminDir === null ? undefined : readHeadFile(repo.commonDir, adminDir);
  if (head === undefined || (head.branch !== keep.on && head.branch !== standsOn(keep))) return false;
  // What a person makes anew has the same name, the same branch and a note of its own.
  return adminDir === null || noteOf(place, keep)?.isGone !== true || readFeatureNote(adminDir) === null;
}

/** Brings branch and worktree back to where they were, as they were. */
export async function bringBack(place: KeepPlace, keep: Keep): Promise<void> {
  if (keep.branch !== null && keep.tip !== null) {
    const move = await moveRef(place.view, branchRef(keep), keep.tip, null, `paralph: took back ${keep.act}`);
    if (!move.moved && move.now !== keep.tip)
      throw new AppError('E_NEEDS_PERSON', `a branch ${keep.branch} has just been made`, { remedy: 'ralph undo' });
  }
  reach('undo.branch');
  if (keep.path === null || isBack(place, keep)) return;
  const head = keep.head ?? (await wholeCommit(place, keep));
  await restoreWorktree(place, keep, {
    path: keep.path,
    branch: standsOn(keep),
    lock: keep.act === 'remove' ? null : LOCK_REASON,
    head,
  });
}

/** From now on undo goes further back. */
export async function markUndone(place: KeepPlace, keep: Keep): Promise<void> {
  await moveRef(place.view, `${UNDONE}/${keep.id}`, keep.commit, null, 'paralph: taken back');
  forgetTaken(place.repo, keep.commit);
  reach('undo.done');
}

const hasBranch = (keep: Keep): boolean => keep.branch !== null && keep.tip !== null;
const branchRef = (keep: Keep): string => `refs/heads/${keep.branch ?? ''}`;
const standsOn = (keep: Keep): string | null =>
  keep.on !== null && keep.on === keep.branch && keep.head === keep.tip ? keep.on : null;

/**
 * What is known of a worktree that a person removed and that no commit tells. It proves that the place a keep names is one we
 * took it from: refs come from anywhere.
 */
interface TakenNote {
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
