import { hasSubmodules, settleSubmodules } from '../worktrees/submodules.ts';
import { missingFilters, withoutFilters } from '../git/run/missing-filters.ts';
import type { Repository } from '../git/run/repository.ts';

export const FETCHES = 'git submodule update --init --recursive';

/** Brings the submodules of a worktree of ours to what its commit says. Why they are not there; null: they are, or there are none. */
export async function fetchInto(repo: Repository, path: string, tell: (text: string) => void): Promise<string | null> {
  if (!hasSubmodules(path)) return null;
  const { failed } = await settleSubmodules(path, withoutFilters(await missingFilters(repo.root)));
  if (failed !== null) tell(`submodules are missing: ${failed}`);
  return failed;
}
