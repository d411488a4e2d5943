import { AppError } from '../../core/errors.ts';
import type { Sha } from '../../core/ids.ts';
import { shellWord } from '../../core/remedy.ts';
import { shortLine } from '../../text/screen/clean.ts';
import type { Repository } from '../git/repository.ts';
import { HARDENED, runGit } from '../git/run-git.ts';
import { branchTip } from '../git/worktrees.ts';

/** Branches of loops are known by this; what becomes of them is in the log. */
const LOOPS = 'ralph/';

/** The tip of a branch that a person may rename or delete: one that is there, no loop's, and not where work lands. */
export async function requireTheirBranch(repo: Repository, branch: string, target: string | null): Promise<Sha> {
  const tip = await requireBranch(repo, branch);
  if (branch === target)
    throw new AppError('E_NEEDS_PERSON', `${branch} is where work lands, so it stays as it is`, {
      remedy: 'ralph config get landing.target',
    });
  if (branch.startsWith(LOOPS))
    throw new AppError('E_NEEDS_PERSON', `${branch} belongs to a loop`, {
      remedy: `ralph loops discard ${shellWord(branch.slice(LOOPS.length))}`,
    });
  return tip;
}

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
