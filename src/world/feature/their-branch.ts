import { AppError } from '../../core/model/errors.ts';
import type { Sha } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { shortLine } from '../../text/screen/clean.ts';
import type { Repository } from '../git/run/repository.ts';
import { HARDENED, runGit } from '../git/run/run-git.ts';
import { branchTip } from '../worktrees/worktrees.ts';

/** The tip of a branch that must be there. */
export async function requireBranch(repo: Repository, branch: string): Promise<Sha> {
  const tip = (await isBranchName(repo, branch)) ? await branchTip(repo, branch) : null;
  if (tip !== null) return tip;
  throw new AppError('E_NAME', `there is no branch ${JSON.stringify(shortLine(branch, 60))}`, {
    remedy: `git -C ${shellWord(repo.root)} branch --list`,
  });
}

/** Before it is looked up: a name that git would not take may lead to any file. */
async function isBranchName(repo: Repository, branch: string): Promise<boolean> {
  if (branch === '' || branch.length > 250 || branch === 'HEAD' || /^-|\p{Cc}/u.test(branch)) return false;
  const args = ['check-ref-format', `refs/heads/${branch}`];
  return (await runGit([...HARDENED, ...args], { cwd: repo.commonDir, ok: [0, 1, 128, 129] })).code === 0;
}
