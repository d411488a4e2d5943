import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { reach } from './failpoint.ts';
import { identityEnvironment } from './git/identity.ts';
import type { Identity } from './git/identity.ts';
import { findOversize, inWords } from './git/oversize.ts';
import type { NewLimits } from '../core/settings.ts';
import { withoutTicks } from './branch-tracker.ts';
import { commitLeftovers } from './git/leftovers.ts';
import { linksOut } from './git/links-out.ts';
import { deleteRef, readRef } from './git/refs.ts';
import type { Repository } from './git/repository.ts';
import type { GitView } from './git/view.ts';
import { readHeadFile } from './git/ref-files.ts';
import { readTexts } from './git/read-texts.ts';
import { touchedPaths } from './git/touched.ts';
import { changedPaths } from './git/tree-edit.ts';
import { adminDirOf } from './git/worktree-admin.ts';
import { isOurs, isRetired, retireWorktree, takeWorktree } from './git/worktree-pool.ts';
import { isClean } from './git/worktree-state.ts';
import { findMarkers } from './conflict-markers.ts';
import { openGateWorktrees } from './gate-worktree.ts';
import { commitInPlace } from './in-place/commit-in-place.ts';
import { findBesides } from './in-place/find-besides.ts';
import { leaveCheckout } from './in-place/leave-checkout.ts';
import { takeCheckout } from './in-place/take-checkout.ts';
import { writeLoopNote } from './loop-notes.ts';
import { mergeIn } from './merge-in.ts';
import { clearNotes } from './notes/lay-notes.ts';
import { findUnlandedLoops } from './repair/unlanded-loops.ts';
import { prepareLoop } from './prepare-loop.ts';
import type { Provisions } from './provisions.ts';
import { clearRetired } from './clear-retired.ts';
import { facts, standOn } from './stand.ts';
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
  /** Ignored files that are kept before they go. Patterns as in `protect`. */
  readonly ignored: readonly string[];
  readonly maxNew: NewLimits;
  readonly provisions: Provisions;
}

export function openWorktrees(place: WorktreePlace): Worktrees {
  const { repo, view, worktreeRoot, provisions } = place;
  const gates = openGateWorktrees(repo, worktreeRoot, provisions);
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
      const identityEnv = identityEnvironment(place.identity);
      const left = await commitLeftovers(repo, { ...options, maxNew: place.maxNew, identityEnv });
      const { base } = options;
      if (task === null || base === null || left.odd !== null) return left;
      const branch = { fork: base, head: left.head, task: task.id, path: task.tracker };
      return { ...left, ...(await withoutTicks(view, left.tree, branch)) };
    },
    takeCheckout: (order) => takeCheckout(place, order),
    commitInPlace: (order) => commitInPlace(place, order),
    leaveCheckout: (options) => leaveCheckout(place, options),
    besides: (order) => findBesides(place, order),
    touched: (path, base) => touchedPaths(place, { path, base, limit: TOUCHED_MAX }),
    changed: (from, to) => changedPaths(view, from, to),
    textsAt: (commit, paths) => readTexts(view, commit, paths),
    linksOut: (from, to) => linksOut(view, from, to),
    tooLarge: async (base, tree) => {
      const found = await findOversize(view, { base, before: null, tree }, place.maxNew);
      return found.length === 0 ? null : inWords(found, place.maxNew);
    },
    retire: (options) => retire(place, options),
    withGateWorktree: gates.withOne,
    dropGateWorktrees: gates.dropMade,
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
