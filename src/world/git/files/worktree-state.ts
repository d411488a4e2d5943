import { rmSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Sha } from '../../../core/model/ids.ts';
import { sha } from '../../../core/model/ids.ts';
import { HARDENED, runGit, runGitBytes } from '../run/run-git.ts';
import { AppError } from '../../../core/model/errors.ts';
import { copyIndex } from './private-index.ts';
import { adminDirOf } from './worktree-admin.ts';
import type { Repository } from '../run/repository.ts';
import type { GitView } from '../run/view.ts';

export interface Head {
  /** Null: a branch without any commit. */
  readonly commit: Sha | null;
  /** The short name of the branch; null when HEAD is detached. */
  readonly branch: string | null;
}

/** Where a worktree stands. */
export async function headOf(path: string): Promise<Head> {
  const symbolic = await runGit([...HARDENED, 'symbolic-ref', '--quiet', 'HEAD'], { cwd: path, ok: [0, 1] });
  const commit = await runGit([...HARDENED, 'rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], {
    cwd: path,
    ok: [0, 1, 128],
  });
  return {
    commit: commit.code === 0 ? sha(commit.stdout.trim()) : null,
    branch: symbolic.code === 0 ? symbolic.stdout.trim().replace(/^refs\/heads\//, '') : null,
  };
}

/** Whether nothing is modified, staged or new, in repositories inside as well. Ignored files do not count. */
export async function isClean(path: string): Promise<boolean> {
  const args = ['status', '--porcelain', '-z', '--untracked-files=normal', '--ignore-submodules=none'];
  const { stdout } = await runGit([...HARDENED, ...args], { cwd: path });
  return stdout === '';
}

/**
 * Repositories inside a worktree that git does not track: it would record them as empty links and drop what they hold. The names
 * are bytes as latin1 characters, for they need not be text.
 */
export async function embeddedRepositories(
  path: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const { stdout } = await runGitBytes([...HARDENED, 'ls-files', '--others', '--exclude-standard', '-z'], {
    cwd: path,
    env,
  });
  const names = stdout.toString('latin1').split('\0');
  return names.filter((name) => name.endsWith('/'));
}

/** Detaches HEAD where it stands and puts every tracked file back; new files go, ignored ones stay because they are slow to make. */
export async function restoreFiles(path: string, adminDir: string, looksClean: boolean): Promise<void> {
  await runGit([...HARDENED, 'checkout', '-q', '--detach'], { cwd: path });
  // Files marked assume-unchanged or skip-worktree would keep an agent's edit out of sight of every later command.
  const hides = await hidesChanges(path);
  if (hides) rmSync(join(adminDir, 'index'), { force: true });
  if (looksClean && !hides) return;
  await runGit([...HARDENED, 'reset', '-q', '--hard'], { cwd: path });
  await runGit([...HARDENED, 'clean', '-f', '-d', '-q'], { cwd: path });
}

async function hidesChanges(path: string): Promise<boolean> {
  const { stdout } = await runGitBytes([...HARDENED, 'ls-files', '-v', '-z'], { cwd: path });
  return stdout
    .toString('latin1')
    .split('\0')
    .some((line) => /^[a-zS] /.test(line));
}

/** What `git status` tells about a worktree, as far as somebody has to act on it. */
export interface Changes {
  /** Nothing is modified, staged or new. Ignored files do not count. */
  readonly clean: boolean;
  /** Nothing that git tracks is modified or staged: there are at most new files. */
  readonly onlyNew: boolean;
  /** Files that git does not track; names are bytes as latin1 characters. */
  readonly untracked: readonly string[];
  /** A conflict was left unresolved. */
  readonly unmerged: boolean;
  /** Something is staged as a bare link to a repository, or a submodule changed. */
  readonly links: boolean;
  /** Repositories inside that git does not track; names are bytes as latin1 characters. */
  readonly embedded: readonly string[];
}

/** One look instead of four: files, index, conflicts and repositories inside. */
export async function lookAtChanges(path: string): Promise<Changes> {
  const args = ['status', '--porcelain=v2', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=none'];
  const { stdout } = await runGitBytes([...HARDENED, ...args], { cwd: path });
  const records = stdout
    .toString('latin1')
    .split('\0')
    .filter((record) => record !== '');
  const untracked = records.filter((record) => record.startsWith('? ')).map((record) => record.slice(2));
  return {
    clean: records.length === 0,
    onlyNew: untracked.length === records.length,
    untracked,
    unmerged: records.some((record) => record.startsWith('u ')),
    links: records.some((record) => /^1 \S\S S/.test(record) || /^1 \S\S \S+ \d+ 160000 /.test(record)),
    embedded: untracked.filter((name) => name.endsWith('/')),
  };
}

/** Asking a submodule about its files would start a git that reads the submodule's own config. */
const DIFF = ['diff', '-z', '--name-only', '--no-renames', '--no-ext-diff', '--ignore-submodules=dirty'];

interface TouchedOptions {
  /** A linked worktree. */
  readonly path: string;
  readonly base: Sha;
  /** How many paths are enough. */
  readonly limit: number;
}

/**
 * What a worktree changed since a commit, committed or not, while somebody works in it. Through the view, because a filter
 * planted in the repository's config would run in us. Nothing is known of a worktree that is gone.
 */
export async function touchedPaths(
  { repo, view }: { readonly repo: Repository; readonly view: GitView },
  { path, base, limit }: TouchedOptions,
): Promise<readonly string[]> {
  const adminDir = adminDirOf(repo, path);
  if (adminDir === null || !existsSync(path)) return [];
  const own = join(adminDir, 'index');
  if (!existsSync(own)) return [];
  const folder = join(repo.stateDir, 'tmp');
  const index = join(folder, `index-${randomUUID()}`);
  mkdirSync(folder, { recursive: true });
  try {
    // `git diff` locks and rewrites the index it is given, optional locks or not: the agent's own git would find it locked.
    copyIndex(own, index);
    const ask = async (args: readonly string[]): Promise<readonly string[]> => {
      const { stdout } = await view.run(args, { workTree: path, env: { GIT_INDEX_FILE: index } });
      return stdout.split('\0').filter((name) => name !== '');
    };
    const tracked = await ask([...DIFF, base, '--']);
    const fresh = await newFiles(ask, join(repo.commonDir, 'info/exclude'));
    return [...new Set([...tracked, ...fresh])].sort().slice(0, limit);
  } finally {
    rmSync(index, { force: true });
    rmSync(`${index}.lock`, { force: true });
  }
}

async function newFiles(
  ask: (args: readonly string[]) => Promise<readonly string[]>,
  exclude: string,
): Promise<readonly string[]> {
  const excludes = existsSync(exclude) ? [`--exclude-from=${exclude}`] : [];
  const args = ['ls-files', '-z', '--others', '--exclude-standard', ...excludes];
  try {
    return await ask(args);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // More files than can be listed: their folders will do.
    return ask([...args, '--directory', '--no-empty-directory']);
  }
}
