import { AppError } from '../../../core/model/errors.ts';
import { loopsOf } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import type { FeatureStatus } from '../../../world/feature/feature-status.ts';
import { removeFeature } from '../../../world/feature/remove-feature.ts';
import { readState } from '../../call/project.ts';
import type { Answer } from '../../verbs/answer.ts';
import { type WorktreePlace, namedWorktree } from './find-worktree.ts';
import { told } from './told.ts';

/** Takes a worktree away. What it holds and has not landed is refused, or by force kept first. */
export async function cleanUp(place: WorktreePlace): Promise<Answer> {
  const { repo, settings, given } = place;
  const target = await namedWorktree(place);
  requireTarget(target, given.text('target_branch'));
  if (given.flag('auto_merge')) await refuseMerge(place, target);
  const order = { target, force: given.flag('force'), keepBranch: !given.flag('delete_branch', true), settings };
  const removed = await removeFeature(repo, order);
  return told({
    path: removed.path,
    branch: removed.branch,
    next: removed.restore === null ? [] : [removed.restore],
    more: { removed: true, kept: removed.kept, kept_files: removed.files, branch_deleted: removed.branchGone },
  });
}

/** What has landed is judged by where work lands, and nothing else. */
function requireTarget({ target }: FeatureStatus, wanted: string): void {
  if (wanted === '' || wanted === target?.name) return;
  throw new AppError('E_USAGE', `work lands on ${target?.name ?? 'no branch yet'}, not on ${JSON.stringify(wanted)}`, {
    remedy: `ralph config set landing.target ${shellWord(wanted)}`,
  });
}

/**
 * Merging would need a checkout of the target, which is the user's own, and could stop half-way. What a loop made lands by
 * `ralph land`; what a person made they merge themselves.
 */
async function refuseMerge({ repo }: WorktreePlace, { branch, unlanded, target }: FeatureStatus): Promise<void> {
  if (unlanded === 0 || branch === null) return;
  const loop = loopsOf(await readState(repo)).find((one) => one.branch === branch && one.phase.at === 'ready');
  throw new AppError('E_UNLANDED', `${branch} has not landed, and nothing is merged in your checkout from here`, {
    facts: [`with ${target?.name ?? 'the branch it belongs on'} checked out, the command below merges it`],
    remedy:
      loop === undefined
        ? `git -C ${shellWord(repo.root)} merge --no-ff ${shellWord(branch)}`
        : `ralph land ${shellWord(loop.id)}`,
  });
}
