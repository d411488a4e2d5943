import { AppError } from '../../core/errors.ts';
import { shellWord } from '../../core/remedy.ts';
import { shortLine } from '../../text/screen/clean.ts';
import type { Repository } from '../git/repository.ts';
import { HARDENED, runGit } from '../git/run-git.ts';
import { LOCK_REASON } from '../git/worktree-entries.ts';
import { patiently, worktreeMutex } from '../git/worktrees.ts';
import { withMutex } from '../mutex.ts';
import type { FeatureStatus } from './feature-status.ts';

const REASON_CHARS_MAX = 200;

/** Locks a worktree against being moved, pruned and removed. False: it was locked already, and its reason stays. */
export async function lockFeature(repo: Repository, target: FeatureStatus, reason: string): Promise<boolean> {
  requireTheirs(target);
  const line = shortLine(reason, REASON_CHARS_MAX);
  if (/^paralph/i.test(line))
    throw new AppError('E_NAME', 'a reason that begins with "paralph" would make it one of ours', {
      remedy: `git -C ${shellWord(repo.root)} worktree lock ${shellWord(target.path)}`,
    });
  if (target.locked !== null) return false;
  await lockGit(repo, ['lock', ...(line === '' ? [] : [`--reason=${line}`]), '--', target.path]);
  return true;
}

/** False: it was not locked. */
export async function unlockFeature(repo: Repository, target: FeatureStatus): Promise<boolean> {
  requireTheirs(target);
  if (target.locked === null) return false;
  await lockGit(repo, ['unlock', '--', target.path]);
  return true;
}

const lockGit = (repo: Repository, args: readonly string[]): Promise<unknown> =>
  patiently(() =>
    withMutex(worktreeMutex(repo), () => runGit([...HARDENED, 'worktree', ...args], { cwd: repo.commonDir })),
  );

/** By the locks of our own worktrees we know them again after a crash. */
function requireTheirs({ isMain, ours, path, locked }: FeatureStatus): void {
  if (isMain)
    throw new AppError('E_NEEDS_PERSON', `${path} is the main checkout, which has no lock`, {
      remedy: 'ralph worktree list',
    });
  if (ours === 'loop' || locked?.startsWith(LOCK_REASON) === true)
    throw new AppError('E_NEEDS_PERSON', `${path} carries a lock that paralph needs`, { remedy: 'ralph status' });
}
