import { AppError } from '../../core/errors.ts';
import type { Sha } from '../../core/ids.ts';
import { shellWord } from '../../core/remedy.ts';
import { listRefs, readRef } from '../git/refs.ts';
import { isCheckedOut } from '../git/worktree-admin.ts';
import { type KeepPlace, type Kept, keepCommit } from '../keep/keep.ts';
import { dropBranch } from '../keep/take-away.ts';
import { deleteRemoteBranch } from './delete-remote-branch.ts';
import { requireTheirBranch } from './their-branch.ts';
import { countUnlanded } from './unlanded.ts';
import { howMany } from '../../core/how-many.ts';

export interface DeleteOrder {
  readonly branch: string;
  /** The branch that work lands on. */
  readonly target: string | null;
  /** Commits that have not landed are kept, and the branch goes. */
  readonly force: boolean;
  /** Delete it there, too; null: only here. */
  readonly remote: string | null;
}

export interface DeletedBranch {
  readonly tip: Sha;
  readonly unlanded: number;
  readonly kept: Kept;
}

/** Deletes a branch that nobody stands on. What has not landed is kept first; the remote one goes before ours does. */
export async function deleteBranch(place: KeepPlace, order: DeleteOrder): Promise<DeletedBranch> {
  const { repo, view } = place;
  const { branch, target, force, remote } = order;
  const tip = await requireTheirBranch(repo, branch, target);
  if (isCheckedOut(repo, branch))
    throw new AppError('E_NEEDS_PERSON', `the branch ${branch} is checked out`, { remedy: 'ralph worktree list' });
  const landed = [...(await listRefs(view, 'refs/paralph/int/')).values()];
  const targetTip = target === null ? null : await readRef(view, `refs/heads/${target}`);
  const tips = targetTip === null ? landed : [targetTip, ...landed];
  const unlanded = await countUnlanded(view, tip, tips);
  if (unlanded > 0 && !force)
    throw new AppError('E_UNLANDED', `${branch} has ${howMany(unlanded, 'unlanded commit')}`, {
      facts: ['by force they are kept first and can be had back'],
      remedy: `git -C ${shellWord(repo.root)} log --oneline ${shellWord(target === null ? branch : `${target}..${branch}`)} --`,
    });
  const why = 'a person deleted the branch';
  // Also what has landed: `ralph undo` brings the branch back.
  const kept = await keepCommit(place, { act: 'remove', why, branch, commit: tip, name: branch });
  if (remote !== null) await deleteRemoteBranch(repo, view, { branch, remote, held: [tip, ...tips] });
  if (!(await dropBranch(place, branch, tip)))
    throw new AppError('E_BUSY', `${branch} was moved or checked out meanwhile, so it stays`, {
      remedy: `git -C ${shellWord(repo.root)} log --oneline -3 ${shellWord(branch)} --`,
    });
  return { tip, unlanded, kept };
}
