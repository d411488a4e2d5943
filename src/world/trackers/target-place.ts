import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { findTarget } from '../git/files/preflight.ts';
import type { Repository } from '../git/run/repository.ts';
import { gitDirs, worktreeOf } from '../git/files/worktree-admin.ts';

/** The branch that loops land on. Tasks and settings are what this branch says. */
export interface TargetPlace {
  readonly branch: string;
  readonly head: Sha;
  /** The checkout that stands on it: a person's edits of its files are there. Null: none does. */
  readonly checkout: string | null;
}

/** Null: there is no such branch, or no commit yet; who lands says so. */
export async function findTargetPlace(repo: Repository, wanted: string | null): Promise<TargetPlace | null> {
  try {
    const found = await findTarget(repo, wanted);
    if (found === null) return null;
    return { branch: found.target, head: found.targetSha, checkout: checkoutOn(repo, found.target) };
  } catch (error) {
    // Refs that cannot be read keep nobody from looking at what is here.
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** The checkout that stands on a branch. Git lets only one do so. */
export function checkoutOn(repo: Repository, branch: string): string | null {
  const standsOnIt = (gitDir: string): boolean => headIn(gitDir) === `ref: refs/heads/${branch}`;
  // A bare repository has a HEAD and no index: nothing is checked out there.
  if (standsOnIt(repo.commonDir) && existsSync(join(repo.commonDir, 'index'))) return repo.root;
  const linked = gitDirs(repo).find((dir) => dir !== repo.commonDir && standsOnIt(dir));
  return linked === undefined ? null : worktreeOf(linked);
}

/** What a checkout stands on, for people; null: on no branch. */
export function branchIn(repo: Repository, checkout: string): string | null {
  const gitDir = gitDirs(repo).find((dir) => (dir === repo.commonDir ? repo.root : worktreeOf(dir)) === checkout);
  const head = gitDir === undefined ? '' : headIn(gitDir);
  return head.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length) : null;
}

function headIn(gitDir: string): string {
  try {
    return readFileSync(join(gitDir, 'HEAD'), 'utf8').trimEnd();
  } catch {
    return '';
  }
}
