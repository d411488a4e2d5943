import { AppError } from '../../core/model/errors.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import type { GitOptions } from '../git/run/run-git.ts';
import { openAllFolders } from '../os/files.ts';

/** Deletes every file that is not tracked, ignored or not, but for these (as in .gitignore). Throws if something stays all the same. */
export async function clearFiles(
  where: Pick<GitOptions, 'cwd' | 'env'>,
  keep: readonly string[],
  git: readonly string[] = HARDENED,
): Promise<void> {
  const args = [...git, 'clean', '-ffdxq', ...keep.flatMap((pattern) => ['-e', pattern])];
  try {
    await runGit(args, where);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'E_GIT') throw error;
    // What Go downloads is read-only, folders too; so is what a gate closed.
    openAllFolders(where.cwd);
    await runGit(args, where);
  }
}
