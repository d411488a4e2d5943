import { existsSync, readdirSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { sha } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { reach } from '../os/failpoint.ts';
import { isLoopsLock, lockOf, unlinkWorktree } from './loop-notes.ts';
import { withMutex } from '../processes/mutex.ts';
import { outlastLock, outlastGit, patiently } from '../git/run/dead-lock.ts';
import {
  refuseWork,
  abandonIntent,
  endIntent,
  findIntent,
  isStillDebris,
  isYoungerThanIntent,
  startIntent,
} from './half-made.ts';
import { missingFilters, outliveRacyFiles, withoutFilters } from '../git/run/missing-filters.ts';
import { readRefFile } from '../git/refs/ref-files.ts';
import { begunRemoval, endRemoval, removeFolder } from './removals.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { adminDirOf, isBelow, isCheckedOut, realpathLoose } from '../git/files/worktree-admin.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { Repository } from '../git/run/repository.ts';
import type { HalfMade } from './half-made.ts';

export interface Worktree {
  readonly path: string;
  readonly head: Sha | null;
  /** The short name of the branch; null when HEAD is detached. */
  readonly branch: string | null;
  /** Why it is locked; null when it is not. */
  readonly locked: string | null;
  readonly prunable: boolean;
}

const GIT_ENDS_MS = 30_000;

/** Every worktree git knows of, the main checkout first. */
export async function listWorktrees(repo: Repository): Promise<readonly Worktree[]> {
  const { stdout } = await patiently(() =>
    runGit([...HARDENED, 'worktree', 'list', '--porcelain', '-z'], { cwd: repo.commonDir }),
  );
  return stdout
    .split('\0\0')
    .filter((block) => block !== '')
    .map(readBlock);
}

function readBlock(block: string): Worktree {
  const fields = new Map<string, string>();
  for (const line of block.split('\0')) {
    const [name = '', ...rest] = line.split(' ');
    fields.set(name, rest.join(' '));
  }
  const head = fields.get('HEAD') ?? '';
  return {
    path: fields.get('worktree') ?? '',
    head: /[1-9a-f]/.test(head) ? sha(head) : null,
    branch: fields.get('branch')?.replace(/^refs\/heads\//, '') ?? null,
    locked: fields.get('locked') ?? null,
    prunable: fields.has('prunable'),
  };
}

export interface NewWorktree {
  readonly path: string;
  readonly branch: string;
  readonly base: Sha;
  /** Stands in the lock that keeps `git worktree prune` away. */
  readonly reason: string;
  /** Flags for the git that writes its files; without them: those that leave files behind a missing filter as they are stored. */
  readonly flags?: readonly string[];
}

/** Makes a worktree on a branch of its own. Never moves a branch that exists, never deletes what it did not make. */
export async function addWorktree(repo: Repository, options: NewWorktree): Promise<void> {
  const { path, branch, base } = options;
  const halfMade = findIntent(repo, path);
  if (halfMade !== null) await removeHalfMade(repo, halfMade, () => refuseWork(repo, halfMade));
  refuseTakenPath(repo, path);
  const tip = await branchTip(repo, branch);
  if (tip !== null && tip !== base) throw branchElsewhere(branch, tip);
  const intent = startIntent(repo, { path, branch, base, createsBranch: tip === null });
  try {
    reach('wt.intent');
    await patiently(() => withMutex(worktreeMutex(repo), () => register(repo, options)));
    reach('wt.after_admin');
    const flags = options.flags ?? withoutFilters(await missingFilters(repo.root));
    await withCheckoutSlot(() => runGit([...HARDENED, ...flags, 'reset', '-q', '--hard'], { cwd: path }));
    const adminDir = flags.length === 0 ? null : adminDirOf(repo, path);
    if (adminDir !== null) await outliveRacyFiles(join(adminDir, 'index'));
    reach('wt.checked_out');
  } catch (error) {
    // What cannot be taken back now is found by whoever makes or heals the next one; why it failed matters more.
    await removeHalfMade(repo, intent).catch(() => abandonIntent(repo, path));
    throw error;
  }
  endIntent(repo, path);
  reach('wt.done');
}

function refuseTakenPath(repo: Repository, path: string): void {
  if (existsSync(path) && !isEmptyFolder(path)) {
    throw new AppError('E_GIT', `${path} exists and is not empty, so no worktree can be made there`, {
      remedy: `ls -la ${shellWord(path)}`,
    });
  }
  if (adminDirOf(repo, path) !== null) {
    throw new AppError('E_GIT', `git has a worktree at ${path} whose folder is missing; it may come back`, {
      remedy: `git -C ${shellWord(repo.root)} worktree remove -f -f ${shellWord(path)}`,
    });
  }
}

/** The short part that other git commands must not see half-way: it writes the entry, no files. */
async function register(repo: Repository, { path, branch, base, reason }: NewWorktree): Promise<void> {
  const tip = await branchTip(repo, branch);
  if (tip !== null && tip !== base) throw branchElsewhere(branch, tip);
  // A branch at our base is what an earlier try left behind; without a new branch git refuses `--no-track`.
  const on = tip === null ? ['--no-track', '-b', branch, '--', path, base] : ['--', path, branch];
  await runGit([...HARDENED, 'worktree', 'add', '-q', '--no-checkout', '--lock', '--reason', reason, ...on], {
    cwd: repo.commonDir,
  });
}

export function branchElsewhere(branch: string, tip: Sha): AppError {
  return new AppError('E_GIT', `the branch ${branch} already exists, at ${tip.slice(0, 12)}`, {
    remedy: `git branch -m ${shellWord(branch)} ${shellWord(`${branch}-old`)}`,
    facts: ['an existing branch is never moved to make room'],
  });
}

/** Where a branch points; null when there is none. */
export async function branchTip(repo: Repository, branch: string): Promise<Sha | null> {
  const read = readRefFile(repo.commonDir, `refs/heads/${branch}`);
  if (read !== undefined) return read;
  const args = ['rev-parse', '--quiet', '--verify', '--end-of-options', `refs/heads/${branch}`];
  const { code, stdout } = await runGit([...HARDENED, ...args], { cwd: repo.commonDir, ok: [0, 1] });
  return code === 0 ? sha(stdout.trim()) : null;
}

/** Below our folder, or where a template laid it: then its lock says that it is a loop's, or that its removal has begun. */
export function isOurPlace(repo: Repository, worktreeRoot: string, path: string): boolean {
  if (isBelow(worktreeRoot, path) || begunRemoval(repo, path) !== null) return true;
  const adminDir = adminDirOf(repo, path);
  return adminDir !== null && isLoopsLock(lockOf(adminDir));
}

/** Removes a worktree and its entry. The caller has made sure that its work is landed or kept. */
export async function removeWorktree(
  repo: Repository,
  options: { readonly path: string; readonly worktreeRoot: string; readonly kept?: string | null },
): Promise<void> {
  const { path, worktreeRoot, kept = null } = options;
  if (!isOurPlace(repo, worktreeRoot, path)) {
    throw new AppError('E_GIT', `${path} is not below ${worktreeRoot}, so paralph does not remove it`);
  }
  // Deleting files is slow, so it happens outside the mutex; git then removes the entry of a missing folder in milliseconds.
  await removeFolder(repo, path, kept);
  reach('wt.folder_gone');
  await removeEntry(repo, path);
  endRemoval(repo, path);
}

/** Removes git's entry of a worktree whose folder is gone. */
export function removeEntry(repo: Repository, path: string): Promise<void> {
  unlinkWorktree(repo, path);
  return patiently(() => withMutex(worktreeMutex(repo), () => dropEntry(repo, path)));
}

async function dropEntry(repo: Repository, path: string): Promise<void> {
  const adminDir = adminDirOf(repo, path);
  if (adminDir === null) return dropEmptyEntry(repo, path);
  // Its folder was gone before we had the mutex: one that is there now is a new worktree, of whoever was faster than us.
  if (existsSync(join(path, '.git'))) return;
  const args = ['worktree', 'remove', '-f', '-f', '--', realpathLoose(path)];
  const { code } = await runGit([...HARDENED, ...args], { cwd: repo.commonDir, ok: [0, 128] });
  // git cannot remove an entry whose making was cut short; with its folder gone, nothing needs it.
  if (code !== 0) await deleteFolder(adminDir);
}

/** A git that was killed as it began or ended leaves an entry that says nothing, not even whose it is; git names it after the folder. */
async function dropEmptyEntry(repo: Repository, path: string): Promise<void> {
  const likely = join(repo.commonDir, 'worktrees', basename(path));
  // Whoever writes into it in this very moment keeps it.
  if (isEmptyFolder(likely)) await rmdir(likely).catch(() => undefined);
}

const deleteFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 3 });

/**
 * Takes back an add that never came to an end. The branch goes only if it is ours and unmoved. One at a time, and only what is
 * still there: another process may have taken it back before us and made a new one in its place. `mayGo` comes when no git works
 * on it any more; without it nobody but us can have been there. False: it stays, and is not half-made any more.
 */
export function removeHalfMade(
  repo: Repository,
  made: HalfMade,
  mayGo: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  return withMutex(join(repo.stateDir, 'locks', 'half-made'), async () => {
    if (!isStillDebris(repo, made)) return true;
    const busy = await outlastGit({ folder: made.path, mentions: made.path }, GIT_ENDS_MS);
    if (busy.length > 0) throw new AppError('E_BUSY', `git (process ${busy[0]}) still works on ${made.path}`);
    const isGoing = await mayGo();
    if (isGoing) await takeBack(repo, made);
    endIntent(repo, made.path);
    return isGoing;
  });
}

async function takeBack(repo: Repository, made: HalfMade): Promise<void> {
  // git notes the entry before it writes the first file: a folder without an entry holds nothing that we wrote.
  if (adminDirOf(repo, made.path) !== null) await deleteFolder(made.path);
  else if (isEmptyFolder(made.path)) await rmdir(made.path);
  await removeEntry(repo, made.path);
  if (made.createsBranch && !isCheckedOut(repo, made.branch)) {
    await removeLockOf(repo, made);
    const args = ['update-ref', '-d', `refs/heads/${made.branch}`, made.base];
    await runGit([...HARDENED, ...args], { cwd: repo.commonDir, ok: [0, 1, 128] });
  }
}

/** A git that was killed while it made the branch left a lock on it. One that was there before is somebody else's. */
async function removeLockOf(repo: Repository, { path, branch }: HalfMade): Promise<void> {
  const lock = join(repo.commonDir, 'refs/heads', `${branch}.lock`);
  if (!isYoungerThanIntent(repo, path, lock)) return;
  await outlastLock(lock, { folder: repo.root, mentions: repo.commonDir });
}

export const worktreeMutex = (repo: Repository): string => join(repo.stateDir, 'locks', 'worktrees');

export const isEmptyFolder = (path: string): boolean => {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
};

let checkouts = 0;
const waiting: (() => void)[] = [];

/** Checkouts are bound by the disk: more of them at once than cores only slows each one down. */
export async function withCheckoutSlot<T>(act: () => Promise<T>): Promise<T> {
  if (checkouts >= availableParallelism()) await new Promise<void>((resolve) => waiting.push(resolve));
  else checkouts += 1;
  try {
    return await act();
  } finally {
    const next = waiting.shift();
    if (next === undefined) checkouts -= 1;
    else next();
  }
}
