import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { type ProcessIdentity, isAlive, isSame, ownIdentity } from '../processes/identity.ts';
import type { Repository } from '../git/run/repository.ts';
import { realpathLoose } from '../git/files/worktree-admin.ts';
import { ifThere } from '../os/read-if-there.ts';
import { readJsonFile, replaceFile } from '../os/files.ts';

/** A worktree that was begun. While its note exists nobody has worked in it, so it may be taken back whole. */
export interface HalfMade {
  readonly path: string;
  readonly branch: string;
  readonly base: Sha;
  /** Whether the branch comes into being with the worktree, and so goes with it. */
  readonly createsBranch: boolean;
}

interface Note extends HalfMade {
  readonly by: ProcessIdentity;
}

/** What this very process is making now: its notes are not debris. */
const underWay = new Set<string>();

/** Notes down what is about to be made, before anything is. */
export function startIntent(repo: Repository, halfMade: HalfMade): HalfMade {
  const made = { ...halfMade, path: realpathLoose(halfMade.path) };
  const note: Note = { ...made, by: ownIdentity() };
  const file = noteFile(repo, made.path);
  mkdirSync(folderOf(repo), { recursive: true });
  replaceFile(file, JSON.stringify(note));
  underWay.add(file);
  return made;
}

export function endIntent(repo: Repository, path: string): void {
  const file = noteFile(repo, realpathLoose(path));
  rmSync(file, { force: true });
  underWay.delete(file);
}

/** The making ended, and not even its remains could be taken back: they are debris from now on. */
export function abandonIntent(repo: Repository, path: string): void {
  underWay.delete(noteFile(repo, realpathLoose(path)));
}

/** What a dead process left half-made at a path; null when there is nothing. */
export function findIntent(repo: Repository, path: string): HalfMade | null {
  const file = noteFile(repo, realpathLoose(path));
  const note = readNote(file);
  if (note === null) return null;
  if (isUnderWay(file, note))
    throw new AppError('E_BUSY', `The worktree ${path} is being made by process ${note.by.pid}.`);
  return note;
}

/** Whether a file was written after the making at a path was noted down; false: before, or nothing is noted. */
export function isYoungerThanIntent(repo: Repository, path: string, file: string): boolean {
  const noted = statSync(noteFile(repo, realpathLoose(path)), { throwIfNoEntry: false });
  const written = ifThere(() => statSync(file, { throwIfNoEntry: false }));
  return noted !== undefined && written !== undefined && written.mtimeMs >= noted.mtimeMs;
}

/**
 * Whether somebody made a start at a path, and lives, gave up there or died. Another path is as good, and whoever takes a dead
 * start back would take an empty folder for its remains: then a third one could claim the same name.
 */
export const isTaken = (repo: Repository, path: string): boolean =>
  readNote(noteFile(repo, realpathLoose(path))) !== null;

/** Whether what was found half-made is still that, and not something another process has made there since. */
export function isStillDebris(repo: Repository, { path, branch }: HalfMade): boolean {
  const there = notes(repo).filter(({ note }) => note.path === path);
  const isDead = ({ note }: (typeof there)[number]): boolean =>
    note.branch === branch && (isSame(note.by, ownIdentity()) || !isAlive(note.by));
  return there.length > 0 && there.every(isDead);
}

/** Everything dead processes left half-made. */
export const deadIntents = (repo: Repository): readonly HalfMade[] =>
  notes(repo).flatMap(({ file, note }) => (isUnderWay(file, note) ? [] : [note]));

/** The same, and what is being made now. */
export const allIntents = (repo: Repository): readonly HalfMade[] => notes(repo).map(({ note }) => note);

function notes(repo: Repository): readonly { readonly file: string; readonly note: Note }[] {
  return noteNames(repo).flatMap((name) => {
    const file = join(folderOf(repo), name);
    const note = readNote(file);
    return note === null ? [] : [{ file, note }];
  });
}

function isUnderWay(file: string, note: Note): boolean {
  return isSame(note.by, ownIdentity()) ? underWay.has(file) : isAlive(note.by);
}

const folderOf = (repo: Repository): string => join(repo.stateDir, 'half-made');

function noteFile(repo: Repository, path: string): string {
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 24);
  return join(folderOf(repo), `${digest}.json`);
}

function noteNames(repo: Repository): readonly string[] {
  try {
    return readdirSync(folderOf(repo)).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

const readNote = (file: string): Note | null => readJsonFile(file) as Note | null;
