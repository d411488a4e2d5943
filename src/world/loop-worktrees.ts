import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sha } from '../core/ids.ts';
import { identityEnvironment } from './git/identity.ts';
import type { Identity } from './git/identity.ts';
import { commitLeftovers } from './git/leftovers.ts';
import { isAncestor } from './git/merge.ts';
import { deleteRef, moveRef, readRef } from './git/refs.ts';
import type { Repository } from './git/repository.ts';
import { HARDENED, runGit } from './git/run-git.ts';
import type { GitView } from './git/view.ts';
import { retireWorktree, takeWorktree } from './git/worktree-pool.ts';
import { withGateWorktree } from './gate-worktree.ts';
import type { Worktrees } from './world.ts';

// Worktrees outlive their loops, so a folder is not named after one.
const FOLDER = 'wt';

export interface WorktreePlace {
  readonly repo: Repository;
  readonly view: GitView;
  readonly identity: Identity;
  /** Absolute. */
  readonly worktreeRoot: string;
  readonly target: string;
}

export function openWorktrees(place: WorktreePlace): Worktrees {
  const { repo, view, worktreeRoot } = place;
  return {
    tip: (branch) => readRef(view, `refs/heads/${branch}`),
    make: ({ branch, base }) => takeWorktree(repo, { branch, base, name: FOLDER, worktreeRoot }),
    exists: (path) => existsSync(join(path, '.git')),
    facts,
    commitLeftovers: (options) =>
      commitLeftovers(repo, { ...options, identityEnv: identityEnvironment(place.identity) }),
    restore: async (path) => {
      await runGit([...HARDENED, 'reset', '-q', '--hard'], { cwd: path });
      await runGit([...HARDENED, 'clean', '-fdq'], { cwd: path });
    },
    retire: (options) => retire(place, options),
    withGateWorktree: (commit, act) => withGateWorktree(repo, worktreeRoot, commit, act),
  };
}

async function facts(path: string): ReturnType<Worktrees['facts']> {
  const { stdout } = await runGit(['rev-parse', 'HEAD', 'HEAD^{tree}'], { cwd: path });
  const [head = '', tree = ''] = stdout.trim().split('\n');
  return { head: sha(head), tree: sha(tree) };
}

/** A worktree is given back only if what it holds is what landed; the head stays named until main contains it. */
async function retire(
  { repo, view, worktreeRoot, target }: WorktreePlace,
  { path, branch, head, loop }: Parameters<Worktrees['retire']>[0],
): ReturnType<Worktrees['retire']> {
  if (!existsSync(path)) return { kept: 'the folder is gone' };
  const now = await facts(path);
  if (now.head !== head) return { kept: `${basename(path)} has commits made after the landing` };
  const { stdout } = await runGit([...HARDENED, 'status', '--porcelain', '-z', '--untracked-files=normal'], {
    cwd: path,
  });
  if (stdout !== '') return { kept: `${basename(path)} has uncommitted changes made after the landing` };
  const integration = await readRef(view, `refs/paralph/int/${target}`);
  if (integration === null || !(await isAncestor(view, head, integration)))
    await moveRef(view, `refs/paralph/keep/${loop}/landed`, head, null, 'landed otherwise');
  await retireWorktree(repo, { path, worktreeRoot });
  await deleteRef(view, `refs/heads/${branch}`, head);
  return { kept: null };
}
