import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { AppError } from '../../core/errors.ts';
import { shellWord } from '../../core/remedy.ts';
import type { Repository } from '../git/repository.ts';
import { HARDENED, runGit } from '../git/run-git.ts';
import { realpathLoose } from '../git/worktree-admin.ts';
import { listWorktrees, patiently, worktreeMutex } from '../git/worktrees.ts';
import { cannotWrite } from '../log/log-errors.ts';
import { withMutex } from '../mutex.ts';
import { withFeaturePlace } from './feature-place.ts';
import type { FeatureStatus } from './feature-status.ts';
import { whyStays } from './remove-feature.ts';

/** Moves a worktree of a person's to a folder that is not there yet. Git does the moving, so it still knows it afterwards. */
export async function moveFeature(repo: Repository, target: FeatureStatus, wanted: string): Promise<string> {
  const stays = whyStays(repo, target);
  if (stays !== null) throw stays;
  if (target.missing)
    throw new AppError('E_NEEDS_PERSON', `${target.path} is not there, so it cannot be moved`, {
      remedy: `git -C ${shellWord(repo.root)} worktree repair ${shellWord(wanted)}`,
    });
  const path = realpathLoose(wanted);
  await refuseTaken(repo, path);
  return withFeaturePlace(repo, target.path, async () => {
    try {
      mkdirSync(dirname(path), { recursive: true });
    } catch (error) {
      throw cannotWrite(dirname(path), error);
    }
    const args = ['worktree', 'move', '--', target.path, path];
    const move = (): Promise<unknown> => runGit([...HARDENED, ...args], { cwd: repo.commonDir });
    await patiently(() => withMutex(worktreeMutex(repo), move)).catch((error: unknown) => {
      throw whyNotMoved(target.path, error);
    });
    return path;
  });
}

async function refuseTaken(repo: Repository, path: string): Promise<void> {
  const holds = (folder: string, inner: string): boolean => inner === folder || inner.startsWith(folder + sep);
  const taken = (why: string): AppError =>
    new AppError('E_NAME', `no worktree can be moved to ${path}: ${why}`, { remedy: 'ralph worktree list' });
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined || existsSync(path))
    throw taken('something is there already');
  if (holds(path, realpathLoose(repo.root)) || holds(realpathLoose(repo.commonDir), path))
    throw taken('that belongs to the repository itself');
  const [, ...linked] = await listWorktrees(repo);
  const inside = linked.find((one) => holds(realpathLoose(one.path), path));
  if (inside !== undefined) throw taken(`it lies inside the worktree ${inside.path}`);
}

function whyNotMoved(path: string, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'E_GIT') return error;
  return new AppError('E_NEEDS_PERSON', `git does not move ${path}`, {
    facts: error.facts,
    remedy: `git -C ${shellWord(path)} status`,
    cause: error,
  });
}
