import { existsSync, lstatSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { namesIfThere } from '../../os/read-if-there.ts';
import type { Repository } from '../run/repository.ts';

/** Every git folder that has a HEAD of its own: the shared one first, then one for each linked worktree. */
export function gitDirs(repo: Repository): string[] {
  const linked = join(repo.commonDir, 'worktrees');
  return [repo.commonDir, ...namesIfThere(linked).map((name) => join(linked, name))];
}

/**
 * The admin folder git keeps for a linked worktree, or null. Found from git's side, for the `.git` file in the worktree is
 * in the reach of an agent.
 */
export function adminDirOf(repo: Repository, path: string): string | null {
  const dotGit = join(realpathLoose(path), '.git');
  const leadsThere = (dir: string): boolean => worktreeFileOf(dir) === dotGit;
  // git names it after the worktree's folder unless that name is taken: so the others seldom have to be looked at.
  const likely = join(repo.commonDir, 'worktrees', basename(dirname(dotGit)));
  if (leadsThere(likely)) return likely;
  return gitDirs(repo).find((dir) => dir !== repo.commonDir && leadsThere(dir)) ?? null;
}

function worktreeFileOf(adminDir: string): string | null {
  const named = readOrNull(join(adminDir, 'gitdir'))?.replace(/\r?\n$/, '');
  if (named === undefined || named === '') return null;
  const file = resolve(adminDir, named);
  return join(realpathLoose(dirname(file)), basename(file));
}

/** The worktree an admin folder belongs to, whether or not it still exists. */
export function worktreeOf(adminDir: string): string | null {
  const file = worktreeFileOf(adminDir);
  return file === null ? null : dirname(file);
}

/** Whether any worktree stands on a branch. */
export function isCheckedOut(repo: Repository, branch: string): boolean {
  return gitDirs(repo).some((dir) => readOrNull(join(dir, 'HEAD'))?.trim() === `ref: refs/heads/${branch}`);
}

/** The admin folder of a worktree whose `.git` file still leads there; anything else is somebody's tampering. */
export function soundAdminDir(repo: Repository, path: string): string {
  const adminDir = adminDirOf(repo, path);
  const dotGit = join(path, '.git');
  if (adminDir === null) {
    throw new AppError('E_REPOSITORY_BROKEN', `${path} is not a worktree of this repository`, {
      remedy: `git -C ${shellWord(repo.root)} worktree repair ${shellWord(path)}`,
    });
  }
  const stat = lstatSync(dotGit, { throwIfNoEntry: false });
  const found = stat === undefined ? 'missing' : stat.isFile() ? pointerProblem(dotGit, adminDir) : kindOf(stat);
  if (found === null) return adminDir;
  throw new AppError(
    'E_REPOSITORY_BROKEN',
    `${dotGit} should be the file that leads to the repository, but it is ${found}`,
    {
      remedy: `mv ${shellWord(dotGit)} ${shellWord(`${dotGit}.replaced`)}; git -C ${shellWord(repo.root)} worktree repair ${shellWord(path)}`,
    },
  );
}

function pointerProblem(dotGit: string, adminDir: string): string | null {
  const named = /^gitdir: (.+?)\r?\n?$/s.exec(readFileSync(dotGit, 'utf8'))?.[1];
  if (named === undefined) return 'not a pointer to a git folder';
  const leadsTo = realpathLoose(resolve(dirname(dotGit), named));
  return leadsTo === realpathLoose(adminDir) ? null : `a pointer to ${named}`;
}

const kindOf = (stat: { isDirectory(): boolean; isSymbolicLink(): boolean }): string =>
  stat.isDirectory() ? 'a folder' : stat.isSymbolicLink() ? 'a symlink' : 'no plain file';

const OPERATIONS: readonly (readonly [file: string, name: string])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['sequencer', 'sequencer'],
  ['BISECT_LOG', 'bisect'],
];

/** The git operation somebody began in a worktree and has not ended, or null. */
export function operationIn(gitDir: string): string | null {
  return OPERATIONS.find(([file]) => existsSync(join(gitDir, file)))?.[1] ?? null;
}

/** Only for a worktree whose processes are known to be dead: their lock files can have no owner. */
export function removeDeadLocks(adminDir: string): void {
  for (const name of readdirSync(adminDir)) {
    if (name.endsWith('.lock')) rmSync(join(adminDir, name), { force: true });
  }
}

/** The system's own is faster by far; elsewhere it also changes how names are written, which nobody asked for. */
const realpath = process.platform === 'linux' ? realpathSync.native : realpathSync;

/** The real path, also of what does not exist (yet or any more): then of the nearest folder above that does. */
export function realpathLoose(path: string): string {
  const absolute = resolve(path);
  try {
    return realpath(absolute);
  } catch {
    const above = dirname(absolute);
    return above === absolute ? absolute : join(realpathLoose(above), basename(absolute));
  }
}

/** Whether a path lies below a folder once symlinks are followed. The folder itself does not count. */
export function isBelow(folder: string, path: string): boolean {
  const root = realpathLoose(folder);
  // A symlink in the last place is judged by where it stands, for that is what a removal removes.
  const place = join(realpathLoose(dirname(resolve(path))), basename(resolve(path)));
  return place.startsWith(root.endsWith(sep) ? root : root + sep) && realpathLoose(path) === place;
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
