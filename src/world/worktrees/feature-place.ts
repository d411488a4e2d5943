import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Repository } from '../git/run/repository.ts';
import { realpathLoose } from '../git/files/worktree-admin.ts';
import { LOCK_REASON } from './worktree-entries.ts';
import { withMutex } from '../processes/mutex.ts';

/** What the lock of a feature worktree of ours begins with while we make or remove it. At all other times it has none. */
export const FEATURE_LOCK = `${LOCK_REASON} of a feature`;
/** What a killed process left is known by it. */
export const MAKING = `${FEATURE_LOCK}, being made`;
export const REMOVING = `${FEATURE_LOCK}, being removed`;

/** One at a time makes or removes what stands at a path. */
export function withFeaturePlace<T>(repo: Repository, path: string, act: () => Promise<T>): Promise<T> {
  const digest = createHash('sha256').update(realpathLoose(path)).digest('hex').slice(0, 16);
  return withMutex(join(repo.stateDir, 'locks', `feature-${digest}`), act);
}
