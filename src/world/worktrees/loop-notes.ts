import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { adminDirOf, gitDirs, worktreeOf, realpathLoose } from '../git/files/worktree-admin.ts';
import type { Repository } from '../git/run/repository.ts';
import { errnoOf } from '../os/system-failure.ts';
import { ensureRalphFolder, ralphFolder } from '../git/run/state-places.ts';
import { textIfThere } from '../os/read-if-there.ts';
import { readJsonFile, replaceFile } from '../os/files.ts';
import { cannotWrite } from '../os/errno.ts';
import type { LoopNote } from '../../core/model/found-loop.ts';

/** Beside git's own files of the worktree: it stays when our folder goes, and goes when the worktree is removed. */
const NAME = 'paralph.json';
const TEXTS = ['loop', 'task', 'title', 'branch', 'base'] as const;

export interface NotedWorktree {
  readonly adminDir: string;
  readonly path: string;
  readonly note: LoopNote;
}

/** On the disk when it returns. */
export function writeLoopNote(repo: Repository, path: string, note: LoopNote): void {
  const adminDir = adminDirOf(repo, path);
  if (adminDir === null) return;
  writeAdminNote(adminDir, NAME, note);
  linkLoop(repo, note.loop, path);
}

/** Every worktree that carries our lock and a note, whether or not its folder is still there. */
export function notedWorktrees(repo: Repository): readonly NotedWorktree[] {
  return gitDirs(repo)
    .filter((dir) => dir !== repo.commonDir && carriesOurLock(dir))
    .flatMap((adminDir) => {
      const [path, note] = [worktreeOf(adminDir), readLoopNote(adminDir)];
      return path === null || note === null ? [] : [{ adminDir, path, note }];
    });
}

/** Null: none, or one that an agent or a crash spoiled. */
export function readLoopNote(adminDir: string): LoopNote | null {
  const note = readAdminNote(adminDir, NAME);
  const isWhole =
    note !== null && TEXTS.every((key) => typeof note[key] === 'string') && typeof note['attempt'] === 'number';
  return isWhole && /^[0-9a-f]{40,64}$/.test(String(note['base'])) ? (note as unknown as LoopNote) : null;
}

/**
 * `.ralph/loops/<loop>` leads to the loop's worktree, so that a person finds it by name. A convenience: nothing of ours ever goes
 * that way, what is no link there is somebody's and stays, and nothing fails for want of one.
 */
const linkFolder = (repo: Repository): string => join(ralphFolder(repo), 'loops');

/** A worktree serves one loop after the other: it has one name at a time. */
function linkLoop(repo: Repository, loop: string, path: string): void {
  quietly(() => {
    ensureRalphFolder(repo);
    mkdirSync(linkFolder(repo), { recursive: true });
    unlinkWorktree(repo, path);
    if (isOurFolder(repo)) symlinkSync(realpathLoose(path), join(linkFolder(repo), loop));
  });
}

/** Its worktree goes, or serves no loop any more. */
export function unlinkWorktree(repo: Repository, path: string): void {
  quietly(() => {
    if (!isOurFolder(repo)) return;
    const target = realpathLoose(path);
    for (const { name } of readdirSync(linkFolder(repo), { withFileTypes: true }).filter((one) => one.isSymbolicLink()))
      if (readlinkSync(join(linkFolder(repo), name)) === target) rmSync(join(linkFolder(repo), name), { force: true });
  });
}

/** A link in its place leads to what is not ours. */
const isOurFolder = (repo: Repository): boolean =>
  lstatSync(linkFolder(repo), { throwIfNoEntry: false })?.isDirectory() === true;

function quietly(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (errnoOf(error) === null) throw error;
  }
}

/** Every lock reason of ours starts with this, so that an entry tells whose it is even when it was cut short. */
export const LOCK_REASON = 'paralph worktree';

/** The whole reason: worktrees for gates and for people have more to say. */
export const isLoopsLock = (lock: string): boolean => lock.trim() === LOCK_REASON;

/** Why git's entry of a worktree is locked; empty: it is not. */
export const lockOf = (adminDir: string): string => textIfThere(join(adminDir, 'locked'));

/** Whether git's entry of a worktree was made by us. */
export const carriesOurLock = (adminDir: string): boolean => lockOf(adminDir).startsWith(LOCK_REASON);

/** Writes a note beside git's own files of a worktree, whole or not at all; it is on the disk when this returns. */
export function writeAdminNote(adminDir: string, name: string, note: object): void {
  try {
    replaceFile(join(adminDir, name), JSON.stringify(note), { isDurable: true });
  } catch (error) {
    throw cannotWrite(adminDir, error);
  }
}

/** Null: there is none, or one that an agent or a crash spoiled. Whoever reads it checks what is in it. */
export const readAdminNote = (adminDir: string, name: string): Partial<Record<string, unknown>> | null =>
  readJsonFile(join(adminDir, name)) as Partial<Record<string, unknown>> | null;
