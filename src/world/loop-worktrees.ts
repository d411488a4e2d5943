import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sha } from '../core/ids.ts';
import type { Sha } from '../core/ids.ts';
import { identityEnvironment } from './git/identity.ts';
import type { Identity } from './git/identity.ts';
import { commitLeftovers } from './git/leftovers.ts';
import { isAncestor } from './git/merge.ts';
import { deleteRef, moveRef, readRef } from './git/refs.ts';
import type { Repository } from './git/repository.ts';
import { HARDENED, runGit } from './git/run-git.ts';
import type { GitView } from './git/view.ts';
import { readHeadFile } from './git/ref-files.ts';
import { touchedPaths } from './git/touched.ts';
import { changedPaths, treeOf } from './git/tree-edit.ts';
import { adminDirOf } from './git/worktree-admin.ts';
import { retireWorktree, takeWorktree } from './git/worktree-pool.ts';
import { isClean } from './git/worktree-state.ts';
import { withGateWorktree } from './gate-worktree.ts';
import type { Worktrees } from './world.ts';

// Worktrees outlive their loops, so a folder is not named after one.
const FOLDER = 'wt';
/** More would tell an agent nothing. */
const TOUCHED_MAX = 50;

export interface WorktreePlace {
  readonly repo: Repository;
  readonly view: GitView;
  readonly identity: Identity;
  /** Absolute. */
  readonly worktreeRoot: string;
}

export function openWorktrees(place: WorktreePlace): Worktrees {
  const { repo, view, worktreeRoot } = place;
  // Worktrees whose files are exactly their commit, because we have just committed them and nobody was let in since.
  const settled = new Set<string>();
  return {
    tip: (branch) => readRef(view, `refs/heads/${branch}`),
    make: ({ branch, base }) => takeWorktree(repo, { branch, base, name: FOLDER, worktreeRoot }),
    exists: (path) => existsSync(join(path, '.git')),
    facts: (path) => facts(place, path),
    commitLeftovers: async (options) => {
      const found = await commitLeftovers(repo, { ...options, identityEnv: identityEnvironment(place.identity) });
      if (found.odd === null) settled.add(options.path);
      return found;
    },
    touched: (path, base) => touchedPaths(place, { path, base, limit: TOUCHED_MAX }),
    changed: (from, to) => changedPaths(view, from, to),
    restore: async (path) => {
      if (!settled.delete(path)) await restore(path);
    },
    retire: (options) => retire(place, options),
    withGateWorktree: (commit, act) => withGateWorktree(repo, worktreeRoot, commit, act),
  };
}

async function facts({ repo, view }: WorktreePlace, path: string): ReturnType<Worktrees['facts']> {
  const adminDir = adminDirOf(repo, path);
  const head = adminDir === null ? undefined : readHeadFile(repo.commonDir, adminDir);
  if (head?.commit != null) return { head: head.commit, tree: await treeOf(view, head.commit) };
  const { stdout } = await runGit(['rev-parse', 'HEAD', 'HEAD^{tree}'], { cwd: path });
  const [commit = '', tree = ''] = stdout.trim().split('\n');
  return { head: sha(commit), tree: sha(tree) };
}

async function restore(path: string): Promise<void> {
  if (await isClean(path)) return;
  await runGit([...HARDENED, 'reset', '-q', '--hard'], { cwd: path });
  await runGit([...HARDENED, 'clean', '-fdq'], { cwd: path });
}

/** A worktree is given back only if what it holds is what landed; the head stays named until main contains it. */
async function retire(
  place: WorktreePlace,
  { path, branch, head, landed, loop }: Parameters<Worktrees['retire']>[0],
): ReturnType<Worktrees['retire']> {
  const { repo, view, worktreeRoot } = place;
  if (!existsSync(path)) return { kept: 'the folder is gone' };
  const now = await facts(place, path);
  const adminDir = adminDirOf(repo, path);
  const standsOn = adminDir === null ? undefined : readHeadFile(repo.commonDir, adminDir)?.branch;
  // Given back before, and in other hands since.
  if (standsOn !== branch) return { kept: `${basename(path)} stands on ${standsOn ?? 'no branch'}` };
  if (now.head !== head) return { kept: `${basename(path)} has commits made after the landing` };
  if (!(await isClean(path))) return { kept: `${basename(path)} has uncommitted changes made after the landing` };
  if (!(await isAncestor(view, head, landed))) await keepHead(view, loop, head);
  await retireWorktree(repo, { path, worktreeRoot });
  await deleteRef(view, `refs/heads/${branch}`, head);
  return { kept: null };
}

/** Squashed or replayed, the branch itself is in nobody's history: it stays under a ref of ours. */
async function keepHead(view: GitView, loop: string, head: Sha): Promise<void> {
  await moveRef(view, `refs/paralph/keep/${loop}/landed`, head, null, 'landed in another shape');
}
