import { join } from 'node:path';
import type { Sha } from '../../../core/model/ids.ts';
import { textIfThere } from '../../os/read-if-there.ts';
import { lookUpRef } from '../refs/look-up-ref.ts';
import { readHeadFile } from '../refs/ref-files.ts';
import type { Repository } from '../run/repository.ts';
import { adminDirOf } from './worktree-admin.ts';

export interface Target {
  /** The branch to land on, without `refs/heads/`. */
  readonly target: string;
  readonly targetSha: Sha;
}

export const HEADS = 'refs/heads/';
const ORIGIN = 'refs/remotes/origin/';

/**
 * The branch to land on: the one named, else the usual one. Null: there is none. Every command asks this before it reads its
 * configuration, so it starts no process where files tell.
 */
export async function findTarget(repo: Repository, wanted: string | null): Promise<Target | null> {
  if (wanted !== null) return firstBranch(repo, [withoutHeads(wanted)]);
  const usual = await firstBranch(repo, [originBranch(repo), 'main', 'master', currentBranch(repo)]);
  if (usual !== null) return usual;
  const { askDefaultBranch } = await import('../refs/ask-git.ts');
  return firstBranch(repo, [await askDefaultBranch(repo)]);
}

/** The branch that the main checkout stands on; null: on none. */
export function currentBranch(repo: Repository): string | null {
  // Beside a bare repository there is no main checkout, and the one that was asked about counts as it.
  const isLinked = repo.linked && repo.root === repo.worktree;
  const gitDir = isLinked ? adminDirOf(repo, repo.root) : null;
  return readHeadFile(repo.commonDir, gitDir ?? repo.commonDir)?.branch ?? null;
}

export function withoutHeads(name: string): string {
  return name.startsWith(HEADS) ? name.slice(HEADS.length) : name;
}

/** The branch that a clone was given as the usual one. */
function originBranch(repo: Repository): string | null {
  const [, name = null] = /^ref: (.+?)\r?\n?$/s.exec(textIfThere(join(repo.commonDir, ORIGIN, 'HEAD'))) ?? [];
  return name?.startsWith(ORIGIN) === true ? name.slice(ORIGIN.length) : null;
}

async function firstBranch(repo: Repository, names: readonly (string | null)[]): Promise<Target | null> {
  for (const target of names) {
    const targetSha = target === null ? null : await lookUpRef(repo, HEADS + target);
    if (target !== null && targetSha !== null) return { target, targetSha };
  }
  return null;
}
