import { randomUUID } from 'node:crypto';
import { AppError } from '../../core/model/errors.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import type { Settings } from '../../core/model/settings.ts';
import { begunRemoval } from '../worktrees/removals.ts';
import type { Repository } from '../git/run/repository.ts';
import { realpathLoose } from '../git/files/worktree-admin.ts';
import { processSource } from '../processes/process-source.ts';
import { standsIn } from '../processes/find-processes.ts';
import { type FeatureStatus, listFeatures } from './feature-status.ts';
import { type RemovedFeature, removeFeature, whatItHolds, whyStays } from './remove-feature.ts';

export interface CleanedFeatures {
  readonly removed: readonly (RemovedFeature | Pick<FeatureStatus, 'name' | 'path' | 'branch'>)[];
  readonly stays: readonly (Pick<FeatureStatus, 'name' | 'path' | 'branch'> & { readonly why: string })[];
}

/** Removes worktrees that we made for people once everything in them has landed. Those that people made are not looked at. */
export async function cleanFeatures(
  repo: Repository,
  { settings, isDryRun }: { readonly settings: Settings; readonly isDryRun: boolean },
): Promise<CleanedFeatures> {
  const removed: CleanedFeatures['removed'][number][] = [];
  const stays: CleanedFeatures['stays'][number][] = [];
  const together = randomUUID().slice(0, 8);
  const found = await listFeatures(repo, { target: settings.landing.target });
  for (const target of found.filter((one) => one.ours === 'feature' && !one.isMain)) {
    const { name, path, branch } = target;
    const why = whyWanted(repo, target);
    if (why !== null) stays.push({ name, path, branch, why });
    else if (isDryRun) removed.push({ name, path, branch });
    else
      try {
        removed.push(await removeFeature(repo, { target, force: false, keepBranch: false, settings, together }));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        stays.push({ name, path, branch, why: error.message });
      }
  }
  return { removed, stays };
}

function whyWanted(repo: Repository, target: FeatureStatus): string | null {
  const { name, path, head, note } = target;
  const refused = whyStays(repo, target);
  if (refused !== null) return refused.message;
  if (target.missing && begunRemoval(repo, path) === null)
    return `its folder is missing; to forget it: ralph worktree remove ${shellWord(name)}`;
  if (note?.isDone === false) return `its making was cut short; to end it: ralph worktree new ${shellWord(name)}`;
  const holds = whatItHolds(target);
  if (holds !== null) return `it holds ${holds}`;
  if (note !== null && note.base === head)
    return `nothing was committed in it yet; to remove it: ralph worktree remove ${shellWord(name)}`;
  const folder = realpathLoose(path);
  const [busy] = processSource.list().filter(({ pid }) => pid !== process.pid && standsIn(pid, folder));
  return busy === undefined ? null : `a process works in it (${busy.pid})`;
}
