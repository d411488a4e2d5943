import type { Settings } from '../../core/settings.ts';
import type { Repository } from '../git/repository.ts';
import { type FeatureStatus, listFeatures } from './feature-status.ts';
import { type RemovedFeature, removeFeature } from './remove-feature.ts';

/** Worktrees of people's whose folder is gone, and that nobody locked for when it comes back. */
export const missingFeatures = (features: readonly FeatureStatus[]): readonly FeatureStatus[] =>
  features.filter(({ missing, isMain, ours, locked }) => missing && !isMain && ours !== 'loop' && locked === null);

/** Takes their entries away. Their branches stay, and what was staged or checked out without a branch is kept. */
export async function pruneMissing(repo: Repository, settings: Settings): Promise<readonly RemovedFeature[]> {
  const removed: RemovedFeature[] = [];
  for (const target of missingFeatures(await listFeatures(repo, { target: settings.landing.target })))
    removed.push(await removeFeature(repo, { target, force: true, keepBranch: true, settings }));
  return removed;
}
