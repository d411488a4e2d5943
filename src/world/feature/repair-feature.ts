import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '../../core/errors.ts';
import type { Repository } from '../git/repository.ts';
import { HARDENED, runGit } from '../git/run-git.ts';
import { realpathLoose } from '../git/worktree-admin.ts';
import { patiently, worktreeMutex } from '../git/worktrees.ts';
import { withMutex } from '../mutex.ts';

const POINTER_BYTES_MAX = 4096;

/** Lets git find its worktrees again after a folder was moved by hand: all it knows of, or the one that now stands there. */
export async function repairWorktrees(repo: Repository, path: string | null): Promise<readonly string[]> {
  if (path !== null) requirePointer(repo, path);
  const args = ['worktree', 'repair', ...(path === null ? [] : ['--', path])];
  const repair = () => runGit([...HARDENED, ...args], { cwd: repo.commonDir });
  const { stdout, stderr } = await patiently(() => withMutex(worktreeMutex(repo), repair));
  return `${stdout}${stderr}`.split('\n').filter((line) => line.startsWith('repair: '));
}

/** Git writes into the folder that a `.git` file names, so it must be one of this very repository. */
function requirePointer(repo: Repository, path: string): void {
  const file = join(path, '.git');
  const stat = lstatSync(file, { throwIfNoEntry: false });
  const isPointer = stat?.isFile() === true && stat.size <= POINTER_BYTES_MAX;
  const named = isPointer ? /^gitdir: (.+?)\r?\n?$/s.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  const home = realpathLoose(join(repo.commonDir, 'worktrees'));
  if (named !== undefined && dirname(realpathLoose(resolve(path, named))) === home) return;
  throw new AppError('E_NEEDS_PERSON', `${path} is no worktree of this repository that was moved`, {
    remedy: 'ralph worktree list',
  });
}
