import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { invariant } from '../../core/model/assert.ts';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { reach } from '../os/failpoint.ts';
import { isAlive, ownIdentity } from '../processes/identity.ts';
import { lookAtChanges, embeddedRepositories, headOf, isClean, restoreFiles } from '../git/files/worktree-state.ts';
import { pastDeadLock } from '../git/run/dead-lock.ts';
import { refuseWork, allIntents, deadIntents, isTaken } from './half-made.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import {
  adminDirOf,
  isBelow,
  operationIn,
  removeDeadLocks,
  soundAdminDir,
  realpathLoose,
} from '../git/files/worktree-admin.ts';
import { LOCK_REASON } from './loop-notes.ts';
import {
  addWorktree,
  branchElsewhere,
  branchTip,
  isOurPlace,
  listWorktrees,
  removeHalfMade,
  removeWorktree,
  withCheckoutSlot,
} from './worktrees.ts';
import { readJsonFile } from '../os/files.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { ProcessIdentity } from '../processes/identity.ts';
import type { Repository } from '../git/run/repository.ts';
import type { Worktree } from './worktrees.ts';

/** A retired worktree waiting for its next loop: files in place, HEAD detached at a commit that is reachable elsewhere. */
interface PoolEntry {
  readonly path: string;
  readonly head: Sha;
}

export interface TakeOptions {
  readonly worktreeRoot: string;
  readonly branch: string;
  readonly base: Sha;
  /** The folder name to prefer when a new one is made. */
  readonly name: string;
  /** The folder it is made in, if it is named after the loop: then it is none of those that serve one loop after the other. */
  readonly folder?: string;
  /** Makes a retired one ready for another loop: what git ignores is still there. */
  readonly clear?: (path: string) => Promise<void>;
}

export interface TakenWorktree {
  readonly path: string;
  readonly reused: boolean;
}

const NAMES_MAX = 1000;

/** A worktree on a new branch at `base`: a retired one when there is one, else a new one. Asking twice gives the same one. */
export async function takeWorktree(repo: Repository, options: TakeOptions): Promise<TakenWorktree> {
  // Somebody died over it: what they left holds the branch, and is no worktree to go on with.
  for (const made of deadIntents(repo).filter(({ branch }) => branch === options.branch))
    await removeHalfMade(repo, made, () => refuseWork(repo, made));
  const tip = await branchTip(repo, options.branch);
  if (tip !== null && tip !== options.base) throw branchElsewhere(options.branch, tip);
  await giveBackDeadClaims(repo, options.worktreeRoot);
  const already = tip === null ? null : await takenBefore(repo, options);
  if (already !== null) return { path: already, reused: true };
  for (const { name } of options.folder === undefined ? listPool(repo) : []) {
    const path = await takeEntry(repo, name, options);
    if (path !== null) return { path, reused: true };
  }
  const path = await makeNew(repo, options);
  return { path, reused: false };
}

/** A crash may come between our answer and its being written down: the branch, unmoved in a clean worktree, is that answer. */
async function takenBefore(repo: Repository, options: TakeOptions): Promise<string | null> {
  const found = (await listWorktrees(repo)).find((worktree) => worktree.branch === options.branch);
  if (found === undefined || found.prunable || !isOurPlace(repo, options.worktreeRoot, found.path)) return null;
  if (!existsSync(found.path)) return letGo(repo, found, options.base);
  return (await isClean(found.path)) ? found.path : null;
}

/** Whether a worktree of ours stands on a branch, or somebody died while making one on it. */
export async function isOurs(repo: Repository, branch: string, tip: Sha): Promise<boolean> {
  if (allIntents(repo).some((one) => one.createsBranch && one.branch === branch && one.base === tip)) return true;
  const on = (await listWorktrees(repo)).filter((worktree) => worktree.branch === branch);
  return on.some(({ locked }) => locked?.startsWith(LOCK_REASON) === true);
}

/**
 * The folder is away, and may come back with files nobody committed: its entry stays, but on no branch, so that another
 * worktree can go on with it.
 */
async function letGo(repo: Repository, { path, locked }: Worktree, tip: Sha): Promise<null> {
  const adminDir = locked?.startsWith(LOCK_REASON) === true ? adminDirOf(repo, path) : null;
  if (adminDir === null) return null;
  const detach = ['update-ref', '--no-deref', '-m', 'paralph: its folder is away', 'HEAD', tip];
  await runGit([...HARDENED, `--git-dir=${adminDir}`, ...detach], { cwd: repo.commonDir });
  return null;
}

async function takeEntry(repo: Repository, name: string, options: TakeOptions): Promise<string | null> {
  const claimed = claim(repo, name);
  if (claimed === null) return null;
  const { entry, file } = claimed;
  try {
    reach('pool.claimed');
    const isReady = entry !== null && (await isReusable(repo, entry, options.worktreeRoot));
    const isMoved = isReady && (await moveTo(repo, entry.path, options));
    rmSync(file, { force: true });
    return isMoved ? entry.path : null;
  } catch (error) {
    // Whatever it was, the worktree must not drop out of sight.
    renameSync(file, join(poolDir(repo), `${name}.json`));
    throw error;
  }
}

/** A rename has one winner, so two processes never get the same worktree. The new name says who won, should it die. */
function claim(repo: Repository, name: string): { readonly entry: PoolEntry | null; readonly file: string } | null {
  const by = Buffer.from(JSON.stringify(ownIdentity())).toString('base64url');
  const file = join(poolDir(repo), `${name}.${by}.claimed`);
  try {
    renameSync(join(poolDir(repo), `${name}.json`), file);
  } catch {
    return null;
  }
  return { entry: readEntry(file), file };
}

/** Puts back what processes claimed that died before they could hand it on, and forgets what they had handed on. */
async function giveBackDeadClaims(repo: Repository, worktreeRoot: string): Promise<void> {
  for (const file of poolFiles(repo)) {
    const [, name, by] = /^(.+)\.([\w-]+)\.claimed$/.exec(file) ?? [];
    if (name === undefined || by === undefined) continue;
    const identity = JSON.parse(Buffer.from(by, 'base64url').toString()) as ProcessIdentity;
    if (isAlive(identity)) continue;
    if (isHandedOn(repo, join(poolDir(repo), file))) {
      rmSync(join(poolDir(repo), file), { force: true });
      continue;
    }
    await endRemoval(repo, join(poolDir(repo), file), worktreeRoot);
    try {
      renameSync(join(poolDir(repo), file), join(poolDir(repo), `${name}.json`));
    } catch {
      // Another process gave it back first.
    }
  }
}

/** A branch stands there, which is the last step: it is somebody's by now, and back in the pool it could be taken for nobody's. */
function isHandedOn(repo: Repository, file: string): boolean {
  const entry = readEntry(file);
  const adminDir = entry === null || !existsSync(entry.path) ? null : adminDirOf(repo, entry.path);
  return adminDir !== null && (readHeadFile(repo.commonDir, adminDir)?.branch ?? null) !== null;
}

/** Whoever claimed it to remove it got no further than its folder: the entry, if nobody committed there, goes as well. */
async function endRemoval(repo: Repository, file: string, worktreeRoot: string): Promise<void> {
  const entry = readEntry(file);
  if (entry === null || existsSync(entry.path) || !isBelow(worktreeRoot, entry.path)) return;
  const adminDir = adminDirOf(repo, entry.path);
  if (adminDir === null || readHeadFile(repo.commonDir, adminDir)?.commit === entry.head)
    await removeWorktree(repo, { path: entry.path, worktreeRoot });
}

/** Somebody may have worked in it since: then it is left alone, and no longer in the pool. */
async function isReusable(repo: Repository, entry: PoolEntry, worktreeRoot: string): Promise<boolean> {
  if (!isBelow(worktreeRoot, entry.path)) return false;
  try {
    const adminDir = soundAdminDir(repo, entry.path);
    if (operationIn(adminDir) !== null) return false;
    const head = readHeadFile(repo.commonDir, adminDir) ?? (await headOf(entry.path));
    if (head.branch !== null || head.commit === null || !(await isClean(entry.path))) return false;
    return head.commit === entry.head || (await isReachable(repo, head.commit));
  } catch {
    return false;
  }
}

/** Whether nobody has worked in it since it was given back. */
export async function isAsRetired(repo: Repository, path: string, worktreeRoot: string): Promise<boolean> {
  const name = basename(path);
  const files = poolFiles(repo).filter((file) => file === `${name}.json` || isClaimOf(file, name));
  const entry = files[0] === undefined ? null : readEntry(join(poolDir(repo), files[0]));
  return entry !== null && (await isReusable(repo, entry, worktreeRoot));
}

async function isReachable(repo: Repository, commit: Sha): Promise<boolean> {
  const { stdout } = await runGit([...HARDENED, 'for-each-ref', '--count=1', `--contains=${commit}`], {
    cwd: repo.commonDir,
  });
  return stdout !== '';
}

/** Files first, then the branch: what is interrupted before the last step is still a detached worktree without work. */
async function moveTo(repo: Repository, path: string, options: TakeOptions): Promise<boolean> {
  try {
    await withCheckoutSlot(() => runGit([...HARDENED, 'checkout', '-q', '--detach', options.base], { cwd: path }));
  } catch {
    // It was clean and holds nothing of its own, but its ignored files stand in the way.
    await removeWorktree(repo, { path, worktreeRoot: options.worktreeRoot });
    return false;
  }
  reach('pool.moved');
  try {
    await options.clear?.(path);
  } catch (error) {
    // What nobody can delete must not keep the loop from a worktree of its own; this one is left as it is.
    if (error instanceof AppError && error.code === 'E_GIT') return false;
    throw error;
  }
  // An earlier try may have left the branch at our base; `-b` refuses any other.
  const made = (await branchTip(repo, options.branch)) === options.base;
  const how = made ? ['--no-guess', options.branch, '--'] : ['--no-track', '-b', options.branch];
  await pastLockOn(repo, options.branch, () => runGit([...HARDENED, 'checkout', '-q', ...how], { cwd: path }));
  reach('pool.taken');
  return true;
}

/** The branch of a loop has a name nobody else would take, so a lock that nobody holds any more is ours too. */
const pastLockOn = <T>(repo: Repository, branch: string, act: () => Promise<T>): Promise<T> =>
  pastDeadLock(`refs/heads/${branch}`, { folder: repo.root, mentions: repo.commonDir }, act);

async function makeNew(repo: Repository, options: TakeOptions): Promise<string> {
  const folder = options.folder ?? options.worktreeRoot;
  mkdirSync(folder, { recursive: true });
  for (let tries = 1; tries <= NAMES_MAX; tries += 1) {
    const path = join(folder, tries === 1 ? options.name : `${options.name}-${tries}`);
    // The cheapest question first: beside a hundred worktrees most names are taken.
    if (existsSync(path) || adminDirOf(repo, path) !== null || isTaken(repo, path) || !madeFolder(path)) continue;
    const { branch, base } = options;
    try {
      await pastLockOn(repo, branch, () => addWorktree(repo, { path, branch, base, reason: LOCK_REASON }));
    } catch (error) {
      unmakeFolder(path);
      throw error;
    }
    return path;
  }
  throw new AppError('E_GIT', `${folder} holds ${NAMES_MAX} folders named after ${options.name}`);
}

/** Making the folder claims its name between processes; git accepts an empty one. */
function madeFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A name that came to nothing is free again; what is in the folder stays. */
function unmakeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Gone already, or no longer empty.
  }
}

/** Makes a worktree ready for another loop. The caller has made sure that its work is landed or kept. */
export async function retireWorktree(
  repo: Repository,
  options: { readonly path: string; readonly worktreeRoot: string },
): Promise<void> {
  const { path, worktreeRoot } = options;
  invariant(isBelow(worktreeRoot, path), `${path} is not below ${worktreeRoot}`);
  const adminDir = soundAdminDir(repo, path);
  const operation = operationIn(adminDir);
  if (operation !== null)
    throw new AppError('E_NEEDS_PERSON', `${path} is in the middle of a ${operation}`, {
      remedy: `git -C ${shellWord(path)} status`,
    });
  const changes = await lookAtChanges(path);
  const embedded = changes.links ? await embeddedRepositories(path) : changes.embedded;
  if (embedded.length > 0) {
    throw new AppError('E_NEEDS_PERSON', `${path} holds a repository of its own: ${embedded[0]}`, {
      remedy: `ls -la ${shellWord(join(path, embedded[0] ?? ''))}`,
    });
  }
  removeDeadLocks(adminDir);
  await restoreFiles(path, adminDir, changes.clean);
  reach('pool.restored');
  const head = readHeadFile(repo.commonDir, adminDir)?.commit ?? (await headOf(path)).commit;
  invariant(head !== null, `${path} is at no commit`);
  const file = join(poolDir(repo), `${basename(path)}.json`);
  mkdirSync(poolDir(repo), { recursive: true });
  const entry: PoolEntry = { path, head };
  writeFileSync(`${file}.tmp`, JSON.stringify(entry));
  renameSync(`${file}.tmp`, file);
  reach('pool.retired');
}

/** Takes a retired worktree out of the pool and removes it. False: a loop took it first. */
export async function removeRetired(repo: Repository, path: string, remove: () => Promise<void>): Promise<boolean> {
  const entry = listPool(repo).find((one) => realpathLoose(one.path) === realpathLoose(path));
  const claimed = entry === undefined ? null : claim(repo, entry.name);
  if (entry === undefined || claimed === null) return false;
  try {
    await remove();
  } catch (error) {
    // What stays is there for the next loop.
    if (existsSync(path)) renameSync(claimed.file, join(poolDir(repo), `${entry.name}.json`));
    throw error;
  }
  rmSync(claimed.file, { force: true });
  return true;
}

/** The retired worktrees, in the order in which they are tried. */
export function listPool(repo: Repository): readonly { readonly path: string; readonly name: string }[] {
  return poolFiles(repo)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const entry = readEntry(join(poolDir(repo), file));
      return entry === null ? [] : [{ path: entry.path, name: file.slice(0, -'.json'.length) }];
    });
}

/** Whether a worktree was given back, also if somebody is just taking it. */
export function isRetired(repo: Repository, path: string): boolean {
  const name = basename(path);
  return poolFiles(repo).some((file) => file === `${name}.json` || isClaimOf(file, name));
}

const isClaimOf = (file: string, name: string): boolean => file.startsWith(`${name}.`) && file.endsWith('.claimed');

function poolFiles(repo: Repository): readonly string[] {
  try {
    return readdirSync(poolDir(repo)).sort();
  } catch {
    return [];
  }
}

const readEntry = (file: string): PoolEntry | null => readJsonFile(file) as PoolEntry | null;

const poolDir = (repo: Repository): string => join(repo.stateDir, 'pool');
