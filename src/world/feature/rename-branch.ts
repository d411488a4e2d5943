import { AppError } from '../../core/errors.ts';
import { shellWord } from '../../core/remedy.ts';
import { newBranchName } from '../../text/feature/feature-name.ts';
import type { Repository } from '../git/repository.ts';
import { HARDENED, runGit } from '../git/run-git.ts';
import { gitDirs } from '../git/worktree-admin.ts';
import { branchTip, patiently, worktreeMutex } from '../git/worktrees.ts';
import { withMutex } from '../mutex.ts';
import { readFeatureNote, writeFeatureNote } from './feature-note.ts';
import { requireTheirBranch } from './their-branch.ts';

export interface RenameOrder {
  readonly from: string;
  readonly to: string;
  /** The branch that work lands on. */
  readonly target: string | null;
}

/** Gives a branch another name, also in the worktrees that stand on it. No branch that exists is written over. */
export async function renameBranch(repo: Repository, { from, to, target }: RenameOrder): Promise<void> {
  await requireTheirBranch(repo, from, target);
  newBranchName(to);
  if ((await branchTip(repo, to)) !== null)
    throw new AppError('E_NEEDS_PERSON', `the branch ${to} exists already, and no branch is moved to make room`, {
      remedy: `git -C ${shellWord(repo.root)} log --oneline -1 ${shellWord(to)} --`,
    });
  const rename = () => runGit([...HARDENED, 'branch', '-m', '--', from, to], { cwd: repo.commonDir });
  await patiently(() => withMutex(worktreeMutex(repo), rename)).catch((error: unknown) => {
    throw whyNotRenamed(repo, from, to, error);
  });
  for (const adminDir of gitDirs(repo)) {
    const note = readFeatureNote(adminDir);
    // Otherwise its own branch would look like a stranger's when the worktree goes.
    if (note?.branch === from) writeFeatureNote(adminDir, { ...note, branch: to });
  }
}

/** As where a branch `a` exists and one `a/b` is wanted. */
function whyNotRenamed(repo: Repository, from: string, to: string, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'E_GIT') return error;
  return new AppError('E_NEEDS_PERSON', `git does not rename ${from} to ${to}`, {
    facts: error.facts,
    remedy: `git -C ${shellWord(repo.root)} branch --list`,
    cause: error,
  });
}
