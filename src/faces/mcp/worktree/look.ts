import { shellWord } from '../../../core/model/shell-word.ts';
import type { Changes } from '../../../world/feature/feature-changes.ts';
import type { FeatureStatus } from '../../../world/feature/feature-status.ts';
import { whatItHolds } from '../../../world/feature/remove-feature.ts';
import type { Answer } from '../../verbs/answer.ts';
import { type WorktreePlace, allOf, meantWorktree } from './find-worktree.ts';
import { told } from './told.ts';

export async function listWorktreesFor(place: WorktreePlace): Promise<Answer> {
  const hasStatus = place.given.flag('include_status');
  const worktrees = (await allOf(place)).map((one) => ({ ...plainly(one), ...(hasStatus ? statusOf(one) : {}) }));
  return told({ more: { worktrees, count: worktrees.length } });
}

/** The whole truth about one: also without an upstream, and whatever git knows of it as changed, staged or new. */
export async function statusFor(place: WorktreePlace): Promise<Answer> {
  const one = await meantWorktree(place);
  return told({
    path: one.path,
    branch: one.branch,
    next: nextOf(one),
    more: { ...plainly(one), ...statusOf(one) },
  });
}

const plainly = ({
  name,
  path,
  branch,
  head,
  isMain,
  ours,
  locked,
  missing,
}: FeatureStatus): Record<string, unknown> => ({
  name,
  worktree_path: path,
  path,
  branch,
  head,
  commit: head,
  is_main: isMain,
  owner: ours,
  locked,
  missing,
});

const statusOf = (one: FeatureStatus): Record<string, unknown> => ({
  clean: one.changes === null ? null : one.changes.isClean && one.operation === null,
  staged: one.changes?.staged ?? null,
  modified: one.changes?.unstaged ?? null,
  untracked: one.changes?.untracked ?? null,
  conflicts: one.changes?.conflicts ?? null,
  // The counts once more, by the names that callers of old look for.
  status: {
    uncommitted_changes: one.changes === null ? null : counted(one.changes),
    untracked_files: one.changes?.untracked ?? null,
    ahead: (one.upstream ?? one.target)?.ahead ?? null,
    behind: (one.upstream ?? one.target)?.behind ?? null,
  },
  operation: one.operation,
  target: one.target,
  upstream: one.upstream,
  unlanded: one.unlanded,
  holds: whatItHolds(one),
  problem: one.broken,
});

const counted = ({ staged, unstaged, conflicts }: Changes): number => staged + unstaged + conflicts;

function nextOf(one: FeatureStatus): readonly string[] {
  if (one.missing)
    return [
      `git worktree repair NEW_PATH if its folder was moved, ralph worktree remove ${shellWord(one.name)} if it is gone for good`,
    ];
  const holds = whatItHolds(one);
  if (one.isMain || one.ours === 'loop') return [];
  return [holds === null ? 'worktree_cleanup: it holds nothing that has not landed' : `cd ${shellWord(one.path)}`];
}
