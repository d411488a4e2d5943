import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { reach } from '../os/failpoint.ts';
import { errorCode } from '../os/errno.ts';
import { type ProcessIdentity, isAlive, isSame, ownIdentity } from '../processes/identity.ts';
import { namesIfThere } from '../os/read-if-there.ts';
import { readAdminNote, writeAdminNote } from './loop-notes.ts';
import type { Repository } from '../git/run/repository.ts';
import { realpathLoose } from '../git/files/worktree-admin.ts';

/**
 * The folder of a worktree that goes. It is put aside whole before its first file is deleted: what stands at its path is whole
 * or not there, and a removal that has begun is only ever ended.
 */
export interface Removal {
  /** Where it stood; null: it is removed, and only what is aside could not be deleted. */
  readonly path: string | null;
  readonly aside: string;
  /** The id of what was kept of it before; null: there was nothing to keep. */
  readonly kept: string | null;
  /** Why what is aside could not be deleted; null: nobody has tried in vain. */
  readonly why: string | null;
}

interface Note extends Removal {
  readonly by: ProcessIdentity;
}

export interface NotedRemoval extends Note {
  readonly name: string;
}

/** What this very process is deleting now. */
const underWay = new Set<string>();

/** Deletes a folder in such a way that a killed process leaves all of it or nothing at its path. The note of it stays. */
export async function removeFolder(repo: Repository, path: string, kept: string | null): Promise<void> {
  const begun = begunRemoval(repo, path);
  if (begun !== null && isLive(begun))
    throw new AppError('E_BUSY', `${path} is being removed by process ${begun.by.pid}`);
  if (begun !== null) return deleteAside(repo, begun);
  if (isThere(path)) await deleteAside(repo, putAside(repo, realpathLoose(path), kept));
}

/** The removal that has begun at a path, by whomever; null: what is there is whole, or nobody removed it. */
export function begunRemoval(repo: Repository, path: string): NotedRemoval | null {
  const place = realpathLoose(path);
  return allRemovals(repo).find((one) => one.path === place && hasBegun(one) && !isThere(join(place, '.git'))) ?? null;
}

/** Whether its folder has left its path. */
export const hasBegun = ({ path, aside }: Removal): boolean => path === null || isThere(aside) || !isThere(path);

/** What dead processes, and those that gave up, left to be ended. */
export const deadRemovals = (repo: Repository): readonly NotedRemoval[] =>
  allRemovals(repo).filter((one) => !isLive(one));

/** The worktree is removed: nothing needs to be known of it any more, unless something of it is still aside. */
export function endRemoval(repo: Repository, path: string): void {
  const place = realpathLoose(path);
  for (const one of allRemovals(repo)) if (one.path === place && !isThere(one.aside)) forgetRemoval(repo, one);
}

export function forgetRemoval(repo: Repository, { name }: NotedRemoval): void {
  rmSync(noteOf(repo, { name }), { force: true });
  underWay.delete(name);
}

/** On the disk when it returns. */
export function writeRemoval(repo: Repository, name: string, removal: Removal, by = ownIdentity()): NotedRemoval {
  const { path, aside, kept, why } = removal;
  const note: Note = { path, aside, kept, why, by };
  mkdirSync(folderOf(repo), { recursive: true });
  writeAdminNote(folderOf(repo), name, note);
  return { ...note, name };
}

/** Beside where it stood, for only there it is surely the same file system, and nobody needs more rights than to delete it. */
export function putAside(repo: Repository, path: string, kept: string | null): NotedRemoval {
  const id = randomUUID().slice(0, 8);
  const aside = join(dirname(path), `.ralph-removing-${id}`);
  const removal = writeRemoval(repo, `${id}.json`, { path, aside, kept, why: null });
  underWay.add(removal.name);
  reach('clean.begun');
  try {
    renameSync(path, aside);
  } catch (error) {
    forgetRemoval(repo, removal);
    throw cannotPutAside(removal, error);
  }
  reach('clean.aside');
  return removal;
}

/** Deletes what is aside. What could not be deleted is tried again by whoever comes next. */
export async function deleteAside(repo: Repository, removal: NotedRemoval): Promise<void> {
  underWay.add(removal.name);
  try {
    // Its link goes first: whoever finds a folder that leads to git's entry would take it for the worktree.
    for (const path of [join(removal.aside, '.git'), removal.aside])
      await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    throw cannotDelete(writeRemoval(repo, removal.name, { ...removal, why: reasonOf(error) }), error);
  } finally {
    underWay.delete(removal.name);
  }
}

function cannotDelete({ path, aside, kept, why }: Removal, error: unknown): unknown {
  if (errorCode(error) === null) return error;
  return new AppError('E_UNREMOVABLE', `${aside} cannot be deleted: ${why ?? ''}`, {
    facts: [
      ...(path === null ? [] : [`it was ${path}`]),
      ...keptFact(kept),
      'once it is gone, the same command ends the removal',
    ],
    remedy: `sudo rm -rf ${shellWord(aside)}`,
    cause: error,
  });
}

function cannotPutAside({ path, aside, kept }: Removal, error: unknown): unknown {
  const code = errorCode(error);
  if (code === null || path === null) return error;
  return new AppError('E_UNREMOVABLE', `${path} cannot be removed: ${reasonOf(error)}`, {
    facts: ['nothing of it was deleted', ...keptFact(kept)],
    // What is read-only is so for root too.
    remedy: code === 'EROFS' ? `findmnt -T ${shellWord(dirname(aside))}` : `sudo rm -rf ${shellWord(path)}`,
    cause: error,
  });
}

const keptFact = (kept: string | null): readonly string[] => (kept === null ? [] : [`its work is kept as ${kept}`]);
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Whoever could not delete it has let go of it, and may live on. */
function isLive({ name, by, why }: NotedRemoval): boolean {
  return why === null && (isSame(by, ownIdentity()) ? underWay.has(name) : isAlive(by));
}

function allRemovals(repo: Repository): readonly NotedRemoval[] {
  return namesIfThere(folderOf(repo))
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const note = readAdminNote(folderOf(repo), name) as Partial<Note> | null;
      const isWhole = typeof note?.aside === 'string' && note.path !== undefined && note.by !== undefined;
      return isWhole ? [{ ...(note as Note), name }] : [];
    });
}

export const noteOf = (repo: Repository, { name }: Pick<NotedRemoval, 'name'>): string => join(folderOf(repo), name);

const folderOf = ({ stateDir }: Repository): string => join(stateDir, 'removals');
