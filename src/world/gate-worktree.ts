import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Sha } from '../core/ids.ts';
import type { Repository } from './git/repository.ts';
import { HARDENED, runGit } from './git/run-git.ts';
import { LOCK_REASON } from './git/worktree-entries.ts';
import { worktreeMutex } from './git/worktrees.ts';
import { withMutex } from './mutex.ts';
import { lockFile } from './state-places.ts';

const NAME = 'gate-1';

/**
 * One worktree that stays and only serves gates. Ignored files (installed dependencies, caches) survive from one
 * candidate to the next; everything else is exactly the commit.
 */
export function withGateWorktree<T>(
  repo: Repository,
  worktreeRoot: string,
  commit: Sha,
  act: (path: string) => Promise<T>,
): Promise<T> {
  const path = join(worktreeRoot, NAME);
  return withMutex(lockFile(repo, NAME), async () => {
    if (!existsSync(join(path, '.git'))) await add(repo, path, commit);
    await runGit([...HARDENED, 'checkout', '-q', '--force', '--detach', commit], { cwd: path });
    await runGit([...HARDENED, 'clean', '-ffdq'], { cwd: path });
    return act(path);
  });
}

async function add(repo: Repository, path: string, commit: Sha): Promise<void> {
  const args = [
    'worktree',
    'add',
    '-f',
    '-f',
    '--detach',
    '--no-checkout',
    '--lock',
    '--reason',
    `${LOCK_REASON} for gates`,
    path,
    commit,
  ];
  await withMutex(worktreeMutex(repo), () => runGit([...HARDENED, ...args], { cwd: repo.root }));
}
