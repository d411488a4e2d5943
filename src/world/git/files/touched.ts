import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../core/model/errors.ts';
import type { Sha } from '../../../core/model/ids.ts';
import { copyIndex } from './copy-index.ts';
import type { Repository } from '../run/repository.ts';
import type { GitView } from '../run/view.ts';
import { adminDirOf } from './worktree-admin.ts';

/** Asking a submodule about its files would start a git that reads the submodule's own config. */
const DIFF = ['diff', '-z', '--name-only', '--no-renames', '--no-ext-diff', '--ignore-submodules=dirty'];

export interface TouchedOptions {
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
