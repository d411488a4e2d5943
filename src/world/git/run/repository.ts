import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import { shellWord } from '../../../core/model/shell-word.ts';

export interface Repository {
  /** The main checkout; where there is none beside the git folder (bare, `--separate-git-dir`, submodule): `worktree`. */
  readonly root: string;
  /** The git folder that all worktrees share. */
  readonly commonDir: string;
  readonly stateDir: string;
  /** The checkout that contains the folder asked about. */
  readonly worktree: string;
  readonly linked: boolean;
}

/**
 * Finds the repository around a folder by reading files: a status line must not cost a process, and a `GIT_DIR` inherited
 * from a hook must not lead elsewhere.
 */
export function findRepository(cwd: string): Repository {
  const start = realpathOrNull(cwd);
  if (start === null) throw new AppError('E_NO_REPOSITORY', `the folder ${cwd} does not exist`);
  for (let folder = start; ; folder = dirname(folder)) {
    const gitDir = gitDirOf(folder);
    if (gitDir !== null) return describe(folder, gitDir);
    if (basename(folder) !== '.git' && isGitDir(folder)) throw bare(folder);
    if (folder === dirname(folder)) break;
  }
  throw new AppError('E_NO_REPOSITORY', `${cwd} is not inside a git repository`, {
    remedy: "git init && git commit --allow-empty -m 'Start'",
  });
}

function describe(worktree: string, gitDir: string): Repository {
  const commonDir = commonDirOf(gitDir);
  const linked = commonDir !== gitDir;
  const root = basename(commonDir) === '.git' ? dirname(commonDir) : worktree;
  return { root, commonDir, stateDir: join(commonDir, 'paralph'), worktree, linked };
}

/** The git folder of a checkout, or null when the folder is not the top of one. */
function gitDirOf(folder: string): string | null {
  const dotGit = join(folder, '.git');
  const stat = statSync(dotGit, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (stat.isDirectory()) return isGitDir(dotGit) ? realpathSync(dotGit) : null;
  if (!stat.isFile()) return null;
  const named = /^gitdir: (.+?)\r?\n?$/s.exec(readFileSync(dotGit, 'utf8'))?.[1];
  if (named === undefined) {
    throw new AppError('E_NO_REPOSITORY', `${dotGit} is neither a git folder nor a pointer to one`);
  }
  const gitDir = realpathOrNull(resolve(folder, named));
  if (gitDir === null) {
    throw new AppError('E_NO_REPOSITORY', `${dotGit} points to ${named}, which does not exist`, {
      remedy: `In the main checkout: git worktree repair ${shellWord(folder)}`,
    });
  }
  return gitDir;
}

function commonDirOf(gitDir: string): string {
  const file = join(gitDir, 'commondir');
  if (!existsSync(file)) return gitDir;
  const named = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  const commonDir = named === '' ? null : realpathOrNull(resolve(gitDir, named));
  if (commonDir !== null) return commonDir;
  throw new AppError('E_REPOSITORY_BROKEN', `${file} does not name the git folder this worktree belongs to`, {
    remedy: `rm -r ${shellWord(gitDir)}`,
    facts: ['a `git worktree add` was interrupted; the files of the worktree stay where they are'],
  });
}

function isGitDir(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)));
}

function bare(folder: string): AppError {
  return new AppError('E_REPOSITORY_UNSUPPORTED', `${folder} is a bare repository: there is no checkout to work from`, {
    remedy: 'git worktree add ../main main && cd ../main',
  });
}

function realpathOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
