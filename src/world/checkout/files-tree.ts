import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Sha } from '../../core/model/ids.ts';
import { copyIndex } from '../git/files/private-index.ts';
import { parseChanges, RAW } from '../git/objects/raw-changes.ts';
import type { Change } from '../git/objects/raw-changes.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGitBytes } from '../git/run/run-git.ts';
import { stageAll, writeTree } from '../git/files/snapshot.ts';
import { adminDirOf, realpathLoose } from '../git/files/worktree-admin.ts';
import { embeddedRepositories } from '../git/files/worktree-state.ts';

/** The git folder of a checkout: the shared one for the main checkout, its own for a linked worktree. */
export const gitDirOf = (repo: Repository, path: string): string =>
  realpathLoose(path) === realpathLoose(repo.root) ? repo.commonDir : (adminDirOf(repo, path) ?? repo.commonDir);

/** Every file of a checkout that git does not ignore, as a tree, as `git add` would take it. Its own index stays as it is. */
export async function treeOfFiles(repo: Repository, path: string): Promise<Sha> {
  const folder = join(repo.stateDir, 'tmp');
  const file = join(folder, `index-${randomUUID()}`);
  const own = join(gitDirOf(repo, path), 'index');
  mkdirSync(folder, { recursive: true });
  try {
    if (existsSync(own)) copyIndex(own, file);
    const env = { GIT_INDEX_FILE: file };
    await stageAll(path, await embeddedRepositories(path), env);
    return await writeTree(path, env);
  } finally {
    for (const name of [file, `${file}.lock`]) rmSync(name, { force: true });
  }
}

/** What a person had staged. */
export async function stagedChanges(path: string, head: Sha): Promise<readonly Change[]> {
  const { stdout } = await runGitBytes([...HARDENED, 'diff-index', '--cached', '-z', ...RAW, head], { cwd: path });
  return parseChanges(stdout);
}
