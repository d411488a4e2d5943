import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { AppError } from '../core/errors.ts';
import { type Sha, sha } from '../core/ids.ts';
import { shellWord } from '../core/remedy.ts';
import { reach } from './failpoint.ts';
import { identityEnvironment } from './git/identity.ts';
import type { Identity } from './git/identity.ts';
import { commitLeftovers } from './git/leftovers.ts';
import { linksOut } from './git/links-out.ts';
import { deleteRef, readRef } from './git/refs.ts';
import type { Repository } from './git/repository.ts';
import { HARDENED, runGit } from './git/run-git.ts';
import type { GitView } from './git/view.ts';
import { readHeadFile } from './git/ref-files.ts';
import { touchedPaths } from './git/touched.ts';
import { changedPaths, treeOf } from './git/tree-edit.ts';
import { adminDirOf } from './git/worktree-admin.ts';
import { isOurs, isRetired, retireWorktree, takeWorktree } from './git/worktree-pool.ts';
import { isClean } from './git/worktree-state.ts';
import { findMarkers } from './conflict-markers.ts';
import { dropGateWorktree, withGateWorktree } from './gate-worktree.ts';
import { commitInPlace } from './in-place/commit-in-place.ts';
import { leaveCheckout } from './in-place/leave-checkout.ts';
import { takeCheckout } from './in-place/take-checkout.ts';
import { writeLoopNote } from './loop-notes.ts';
import { freeIndex, mergeIn } from './merge-in.ts';
import { findUnlandedLoops } from './repair/unlanded-loops.ts';
import { unpin } from './train-refs.ts';
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
  /** The task file's path, from the top of the checkout. */
  readonly trackerPath: string;
  /** Files that keep both sides' lines. */
  readonly union: readonly string[];
}

export function openWorktrees(place: WorktreePlace): Worktrees {
  const { repo, view, worktreeRoot } = place;
  // Worktrees whose files are exactly their commit, because we have just committed them and nobody was let in since.
  const settled = new Set<string>();
  return {
    tip: (branch) => readRef(view, `refs/heads/${branch}`),
    isOurs: (branch, tip) => isOurs(repo, branch, tip),
    make: ({ branch, base }) => takeWorktree(repo, { branch, base, name: FOLDER, worktreeRoot }),
    exists: (path) => existsSync(join(path, '.git')),
    facts: (path) => facts(place, path),
    commitLeftovers: async (options) => {
      const found = await commitLeftovers(repo, { ...options, identityEnv: identityEnvironment(place.identity) });
      if (found.odd === null) settled.add(options.path);
      return found;
    },
    takeCheckout: (order) => takeCheckout(place, order),
    commitInPlace: (order) => commitInPlace(place, order),
    leaveCheckout: (options) => leaveCheckout(place, options),
    touched: (path, base) => touchedPaths(place, { path, base, limit: TOUCHED_MAX }),
    changed: (from, to) => changedPaths(view, from, to),
    linksOut: (from, to) => linksOut(view, from, to),
    restore: async (path) => {
      if (!settled.delete(path)) await restore(path);
    },
    retire: (options) => retire(place, options),
    withGateWorktree: (slot, commit, act) => withGateWorktree(repo, worktreeRoot, slot, commit, act),
    dropGateWorktree: (slot) => dropGateWorktree(repo, worktreeRoot, slot),
    mergeIn: (options) => {
      settled.delete(options.path);
      return mergeIn(place, options);
    },
    markers: (commit, paths) => findMarkers(view, commit, paths),
    standAt: async (path, commit) => {
      settled.delete(path);
      await standAt(place, path, commit);
      reach('gate.stands');
    },
    isOn: (path, branch) => isOn(place, path, branch),
    note: (path, note) => writeLoopNote(repo, path, note),
    found: () => findUnlandedLoops(place),
    standOn: (path, branch) => standOn(place, path, branch),
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

function isOn({ repo }: WorktreePlace, path: string, branch: string): boolean {
  const adminDir = adminDirOf(repo, path);
  return adminDir !== null && readHeadFile(repo.commonDir, adminDir)?.branch === branch;
}

async function standAt(place: WorktreePlace, path: string, commit: Sha): Promise<void> {
  // Where the files are those of the commit already, only HEAD has to leave its branch.
  const isThere = (await facts(place, path)).head === commit;
  const how = isThere ? ['update-ref', '--no-deref', 'HEAD', commit] : ['checkout', '-q', '--detach', commit];
  await runGit([...HARDENED, ...how], { cwd: path });
}

/**
 * Without `git checkout`: that looks at every worktree there is, and dies if one is just being made. HEAD is taken off
 * whatever it stands on first, so that no branch a gate went to is moved.
 */
async function standOn(place: WorktreePlace, path: string, branch: string): Promise<void> {
  const { repo, view } = place;
  const adminDir = adminDirOf(repo, path);
  if (adminDir !== null) await freeIndex(adminDir, path);
  if (isOn(place, path, branch)) return;
  const tip = await readRef(view, `refs/heads/${branch}`);
  if (tip === null)
    throw new AppError('E_GIT', `The branch ${branch} is gone.`, { remedy: `git -C ${shellWord(path)} reflog` });
  const git = (...args: readonly string[]): ReturnType<typeof runGit> => runGit([...HARDENED, ...args], { cwd: path });
  if (adminDir !== null && isDetachedAt(place, adminDir, tip)) await restore(path);
  else {
    await git('update-ref', '--no-deref', '-m', 'paralph: back from the gates', 'HEAD', tip);
    await git('reset', '-q', '--hard');
    await git('clean', '-fdq');
  }
  reach('gate.back');
  await git('symbolic-ref', '-m', 'paralph: back on its branch', 'HEAD', `refs/heads/${branch}`);
}

function isDetachedAt({ repo }: WorktreePlace, adminDir: string, commit: Sha): boolean {
  const head = readHeadFile(repo.commonDir, adminDir);
  return head?.branch === null && head.commit === commit;
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
  await unpin(view, { loop, head, landed });
  reach('retire.unpinned');
  if (!existsSync(path)) return { kept: 'the folder is gone' };
  const now = await facts(place, path);
  const adminDir = adminDirOf(repo, path);
  const standsOn = adminDir === null ? undefined : readHeadFile(repo.commonDir, adminDir)?.branch;
  if (standsOn !== branch) {
    // A host that died may have given it back and told nobody; somebody else may work in it since.
    if (isRetired(repo, path) || (await readRef(view, `refs/heads/${branch}`)) === null) {
      await deleteRef(view, `refs/heads/${branch}`, head);
      return { kept: null };
    }
    const isHalfRetired = standsOn === null && now.head === head;
    if (!isHalfRetired) return { kept: `${basename(path)} stands on ${standsOn ?? 'no branch'}` };
  }
  if (now.head !== head) return { kept: `${basename(path)} has commits made after the landing` };
  if (!(await isClean(path))) return { kept: `${basename(path)} has uncommitted changes made after the landing` };
  await retireWorktree(repo, { path, worktreeRoot });
  reach('retire.pooled');
  await deleteRef(view, `refs/heads/${branch}`, head);
  reach('retire.done');
  return { kept: null };
}
