import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../git/run/repository.ts';
import { gitDirs, worktreeOf } from '../git/files/worktree-admin.ts';
import { listWorktrees } from './worktrees.ts';

export interface BranchUser {
  readonly path: string;
  readonly gitDir: string;
}

/**
 * Every worktree that a move of the branch would pull the ground from under: those that stand on it, and those in the middle of
 * rebasing or bisecting it, which git itself lists as detached and does not protect.
 */
export async function branchUsers(repo: Repository, branch: string): Promise<readonly BranchUser[]> {
  const [main] = await listWorktrees(repo);
  return gitDirs(repo).flatMap((gitDir) => {
    if (!uses(gitDir, branch)) return [];
    if (gitDir !== repo.commonDir) return [{ path: worktreeOf(gitDir) ?? gitDir, gitDir }];
    // A bare repository has a HEAD, but nothing is checked out there.
    return main === undefined || main.head === null ? [] : [{ path: main.path, gitDir }];
  });
}

function uses(gitDir: string, branch: string): boolean {
  const ref = `refs/heads/${branch}`;
  if (contentOf(join(gitDir, 'HEAD')) === `ref: ${ref}`) return true;
  if (['rebase-merge', 'rebase-apply'].some((folder) => contentOf(join(gitDir, folder, 'head-name')) === ref))
    return true;
  // A rebase with --update-refs moves further branches when it ends.
  if ((contentOf(join(gitDir, 'rebase-merge', 'update-refs')) ?? '').split('\n').includes(ref)) return true;
  return [branch, ref].includes(contentOf(join(gitDir, 'BISECT_START')) ?? '');
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}
