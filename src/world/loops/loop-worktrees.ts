import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { reach } from '../os/failpoint.ts';
import { findOversize, inWords } from '../git/files/oversize.ts';
import { withoutTicks } from '../trackers/branch-tracker.ts';
import { commitLeftovers } from './leftovers.ts';
import { linksOut, readTexts } from '../git/objects/blobs.ts';
import { deleteRef, readRef } from '../git/refs/refs.ts';
import { readHeadFile } from '../git/refs/ref-files.ts';
import { touchedPaths, isClean } from '../git/files/worktree-state.ts';
import { changedPaths } from '../git/objects/trees.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import { isOurs, isRetired, retireWorktree, takeWorktree } from '../worktrees/worktree-pool.ts';
import { findMarkers } from '../git/merge/conflict-markers.ts';
import { unlinkWorktree, writeLoopNote } from '../worktrees/loop-notes.ts';
import { mergeIn } from './merge-in.ts';
import { clearNotes } from '../notes/lay-notes.ts';
import { findUnlandedLoops } from './unlanded-loops.ts';
import { prepareLoop } from './prepare-loop.ts';
import { clearRetired } from './clear-retired.ts';
import { facts, standOn } from './worktree-head.ts';
import { unpin } from '../keep/train-refs.ts';
import { trimSpare } from './trim-spare.ts';
import type { WorktreePlace } from './worktree-head.ts';
import type { Worktrees } from '../contract/world.ts';

// Worktrees outlive their loops, so a folder is not named after one.
const FOLDER = 'wt';
/** More would tell an agent nothing. */
const TOUCHED_MAX = 50;

export function openWorktrees(place: WorktreePlace): Worktrees {
  const { repo, view, worktreeRoot, provisions } = place;
  return {
    tip: (branch) => readRef(view, `refs/heads/${branch}`),
    isOurs: (branch, tip) => isOurs(repo, branch, tip),
    make: async ({ branch, base }) => {
      const again = (path: string): Promise<void> => clearRetired(place, provisions, path, base);
      const taken = await takeWorktree(repo, { branch, base, name: FOLDER, worktreeRoot, clear: again });
      if (taken.reused) await clearNotes(taken.path);
      return taken;
    },
    prepare: (options) => prepareLoop(repo, provisions, options),
    exists: (path) => existsSync(join(path, '.git')),
    facts: (path) => facts(place, path),
    commitLeftovers: async ({ task, ...options }) => {
      const left = await commitLeftovers(repo, { ...options, maxNew: place.maxNew, identity: place.identity });
      const { base } = options;
      if (task === null || base === null || left.odd !== null) return left;
      const branch = { fork: base, head: left.head, task: task.id, path: task.tracker };
      return { ...left, ...(await withoutTicks(view, left.tree, branch)) };
    },
    touched: (path, base) => touchedPaths(place, { path, base, limit: TOUCHED_MAX }),
    changed: (from, to) => changedPaths(view, from, to),
    textsAt: (commit, paths) => readTexts(view, commit, paths),
    linksOut: (from, to) => linksOut(view, from, to),
    tooLarge: async (base, tree, path) => {
      const found = await findOversize(view, { base, before: null, tree, path }, place.maxNew);
      return found.length === 0 ? null : inWords(found, place.maxNew);
    },
    retire: async (options) => {
      const retired = await retire(place, options);
      if (retired.kept === null) unlinkWorktree(repo, options.path);
      return retired;
    },
    trim: (order) => trimSpare(place, order),
    mergeIn: (options) => mergeIn(place, options),
    markers: (commit, paths) => findMarkers(view, commit, paths),
    note: (path, note) => writeLoopNote(repo, path, note),
    found: () => findUnlandedLoops(place),
    standOn: (path, branch) => standOn(place, path, branch),
  };
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
  if (!(await isClean(path))) return { kept: `${basename(path)} has files or changes that did not land` };
  await retireWorktree(repo, { path, worktreeRoot });
  reach('retire.pooled');
  await deleteRef(view, `refs/heads/${branch}`, head);
  reach('retire.done');
  return { kept: null };
}
