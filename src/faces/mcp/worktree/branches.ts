import { AppError } from '../../../core/errors.ts';
import { shellWord } from '../../../core/remedy.ts';
import { fitsTemplate } from '../../../text/feature/fits-template.ts';
import { deleteBranch } from '../../../world/feature/delete-branch.ts';
import { renameBranch } from '../../../world/feature/rename-branch.ts';
import { preflight } from '../../../world/git/preflight.ts';
import { openKeep } from '../../../world/keep/open-keep.ts';
import type { Answer } from '../../verbs/answer.ts';
import { restoreCommand } from '../../cli/keep-view.ts';
import { type WorktreePlace, namedWorktree } from './find-worktree.ts';
import { told } from './told.ts';

const targetOf = async ({ repo, settings }: WorktreePlace): Promise<string> =>
  (await preflight(repo, settings.landing.target)).target;

export async function renameBranchFor(place: WorktreePlace): Promise<Answer> {
  const { repo, given } = place;
  const [from, to] = [given.text('old_name'), given.text('new_name')];
  const isSaid = given.text('worktree_path') !== '' || given.text('name') !== '';
  const worktree = isSaid ? await namedWorktree(place) : null;
  if (worktree !== null && worktree.branch !== from)
    throw new AppError(
      'E_USAGE',
      `${worktree.path} stands on ${worktree.branch ?? 'no branch'}, not on ${JSON.stringify(from)}`,
      {
        remedy: `git -C ${shellWord(worktree.path)} branch --show-current`,
      },
    );
  await renameBranch(repo, { from, to, target: await targetOf(place) });
  return told({ path: worktree?.path ?? null, branch: to, more: { old_name: from, new_name: to } });
}

export async function deleteBranchFor(place: WorktreePlace): Promise<Answer> {
  const { repo, settings, given } = place;
  const branch = branchMeant(given.text('branch'), given.text('branch_name'));
  const isRemote = given.flag('delete_remote');
  if (isRemote && !fitsTemplate(settings.worktree.branch, branch))
    throw new AppError(
      'E_NEEDS_PERSON',
      `${JSON.stringify(branch)} is not named as we name branches, so its remote one stays`,
      {
        facts: [`ours are called ${settings.worktree.branch}`],
        remedy: `git -C ${shellWord(repo.root)} push origin ${shellWord(`:refs/heads/${branch}`)}`,
      },
    );
  const deleted = await deleteBranch(await openKeep(repo, settings), {
    branch,
    target: await targetOf(place),
    force: given.flag('force'),
    remote: isRemote ? given.text('remote_name') || 'origin' : null,
  });
  return told({
    branch,
    next: [restoreCommand(deleted.kept.id)],
    more: {
      branch_name: branch,
      tip: deleted.tip,
      unlanded: deleted.unlanded,
      kept: deleted.kept.id,
      deleted_local: true,
      deleted_remote: isRemote,
    },
  });
}

/** Callers of old say branch_name. */
function branchMeant(branch: string, name: string): string {
  if ((branch === '') === (name === ''))
    throw new AppError('E_USAGE', 'say which branch is meant, by branch or by branch_name', {
      remedy: 'ralph worktree list',
    });
  return branch || name;
}
