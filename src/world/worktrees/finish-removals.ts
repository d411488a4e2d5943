import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { withMutex } from '../processes/mutex.ts';
import {
  type NotedRemoval,
  type Removal,
  deadRemovals,
  deleteAside,
  forgetRemoval,
  hasBegun,
  writeRemoval,
} from './removals.ts';
import type { Repository } from '../git/run/repository.ts';
import { removeEntry } from './worktrees.ts';

/**
 * Ends every removal that was cut short: what was at its path is kept, and can be brought back only where nothing is left of it.
 * What cannot be deleted stays aside, where it is in nobody's way.
 */
export async function finishRemovals(repo: Repository): Promise<readonly Removal[]> {
  if (deadRemovals(repo).length === 0) return [];
  return withMutex(join(repo.stateDir, 'locks', 'removals'), async () => {
    const ended: Removal[] = [];
    for (const removal of deadRemovals(repo)) if (await finish(repo, removal)) ended.push(removal);
    return ended;
  });
}

/** True: a worktree is gone that was not before. */
async function finish(repo: Repository, removal: NotedRemoval): Promise<boolean> {
  const { path, name } = removal;
  const isNew = path !== null && hasBegun(removal);
  if (isNew) await removeEntry(repo, path);
  // From here on whatever stands at that path is another one.
  const rest = isNew ? writeRemoval(repo, name, { ...removal, path: null }) : removal;
  try {
    if (hasBegun(rest)) await deleteAside(repo, rest);
    forgetRemoval(repo, rest);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  return isNew;
}

/** What could not be deleted, and is in nobody's way. */
export const leftAside = (repo: Repository): readonly Removal[] =>
  deadRemovals(repo).filter(({ path, aside }) => path === null && existsSync(aside));

/** What has begun and was not ended. */
export const cutShort = (repo: Repository): readonly (Removal & { readonly path: string })[] =>
  deadRemovals(repo).flatMap((one) => (one.path !== null && hasBegun(one) ? [{ ...one, path: one.path }] : []));
