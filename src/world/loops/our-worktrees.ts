import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Loop, State } from '../../core/model/model.ts';
import { isWorking, loopsOf } from '../../core/model/model.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { reach } from '../os/failpoint.ts';
import { isAncestor } from '../git/merge/merge.ts';
import { listRefs } from '../git/refs/refs.ts';
import { begunRemoval } from '../worktrees/removals.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';
import { adminDirOf, isBelow, operationIn, realpathLoose } from '../git/files/worktree-admin.ts';
import { listPool, removeRetired } from '../worktrees/worktree-pool.ts';
import { isClean } from '../git/files/worktree-state.ts';
import { listWorktrees, removeWorktree } from '../worktrees/worktrees.ts';
import type { Worktree } from '../worktrees/worktrees.ts';
import { type KeepAct, TAKING } from '../keep/keep-message.ts';
import { type Kept, keepWorktree } from '../keep/keep.ts';
import { type Keep, listKeeps } from '../keep/list-keeps.ts';
import { type AwayPlace, refuseEmbedded, takeAway } from '../keep/take-away.ts';
import { isLoopsLock, readLoopNote } from '../worktrees/loop-notes.ts';
import { findAllMarked } from '../processes/find-processes.ts';

export interface OurWorktree {
  readonly path: string;
  readonly branch: string | null;
  readonly use: 'loop' | 'pool' | 'gates' | 'orphan';
  readonly loop: Loop | null;
  /** Why it must stay; null: it holds nothing that is not landed. */
  readonly keep: string | null;
  /** Why it must stay even if what it holds is kept; null: nobody will ask for it any more. */
  readonly stay: string | null;
  /** Nobody uses it now, and all it holds is named by a branch, or was made to be used again. */
  readonly isSpare: boolean;
}

export interface LookOptions {
  readonly repo: Repository;
  readonly view: GitView;
  readonly state: State;
  /** Absolute. */
  readonly worktreeRoot: string;
}

/** Our worktrees and what each holds. A worktree is ours only if it carries our lock, and lies below the root if it is no loop's. */
export async function ourWorktrees(options: LookOptions): Promise<readonly OurWorktree[]> {
  const { repo, state } = options;
  const root = resolve(options.worktreeRoot);
  const pool = new Set(listPool(repo).map((entry) => realpathLoose(entry.path)));
  const alive = new Set(findAllMarked().flatMap(({ loop }) => loop ?? []));
  const found: OurWorktree[] = [];
  for (const worktree of await listWorktrees(repo)) {
    const { path, branch, locked } = worktree;
    if (locked?.startsWith('paralph') !== true || !(isLoopsLock(locked) || isBelow(root, path))) continue;
    const isPooled = pool.has(realpathLoose(path));
    const loop = isPooled ? null : loopIn(state, worktree);
    const isItsOwn = loop !== null && loop.worktree !== null;
    const use = isItsOwn
      ? 'loop'
      : isPooled
        ? 'pool'
        : !isLoopsLock(locked) && basename(path).startsWith('gate-')
          ? 'gates'
          : 'orphan';
    const lives = loop !== null && alive.has(loop.id) ? 'a process of its loop lives' : null;
    const busy = lives ?? whyBusy(state, loop) ?? (await whyMissing(options, worktree));
    const isCleanNow = use === 'loop' || use === 'orphan' ? await cleanliness(worktree) : true;
    const keep = busy ?? (await unlandedIn(options, worktree, loop, { use, isCleanNow }));
    const holdsNothing = use === 'loop' ? isAsParked(repo, worktree, loop) && isCleanNow === true : keep === null;
    found.push({
      path,
      branch,
      use,
      loop,
      keep,
      stay: busy ?? whyWanted(loop),
      isSpare: busy === null && holdsNothing,
    });
  }
  return found;
}

/** By its place, or, where the log names none any more or not yet, by its branch. */
function loopIn(state: State, { path, branch }: Worktree): Loop | null {
  const real = realpathLoose(path);
  const loops = loopsOf(state);
  return (
    loops.find((one) => one.worktree !== null && realpathLoose(one.worktree) === real) ??
    loops.find((one) => one.worktree === null && branch !== null && one.branch === branch) ??
    null
  );
}

/** Why nobody may touch it now, whatever it holds. */
function whyBusy(state: State, loop: Loop | null): string | null {
  if (loop !== null && isWorking(loop))
    return loop.host === null ? 'its loop is stopped and can resume' : 'its loop is running';
  if (loop?.phase.at === 'ready') return 'its loop is ready to land';
  // A host may be about to hand it to a loop.
  if (loop === null && Object.keys(state.hosts).length > 0) return 'a host is running';
  return null;
}

/** A folder that is away may come back, unless it was we who took it and were cut short. */
async function whyMissing({ repo, view }: LookOptions, { path, branch, head }: Worktree): Promise<string | null> {
  if ((existsSync(path) && head !== null) || begunRemoval(repo, path) !== null) return null;
  const isOurDoing = (keep: Keep): boolean =>
    TAKING.includes(keep.act) && !keep.isUndone && keep.path === path && (branch === null || keep.branch === branch);
  return (await listKeeps(view)).some(isOurDoing) ? null : 'its folder is not there';
}

/** A person may still want the worktree of what is parked. */
function whyWanted(loop: Loop | null): string | null {
  if (loop?.phase.at !== 'parked' || loop.phase.reason === 'discarded') return null;
  return `its loop is parked (${loop.phase.reason}); to take it away: ralph loops discard ${loop.id}`;
}

/** One that git cannot read (null) must not keep a person from seeing and clearing all the others. */
const cleanliness = ({ path, head }: Worktree): Promise<boolean | null> =>
  head === null || !existsSync(path) ? Promise.resolve(true) : isClean(path).catch(() => null);

/** On its branch, and in the middle of nothing. */
function isAsParked(repo: Repository, { path, branch }: Worktree, loop: Loop | null): boolean {
  const adminDir = adminDirOf(repo, path);
  const isStill = adminDir !== null && operationIn(adminDir) === null;
  return loop?.phase.at === 'parked' && loop.branch === branch && isStill;
}

async function unlandedIn(
  { view }: LookOptions,
  worktree: Worktree,
  loop: Loop | null,
  { use, isCleanNow }: { readonly use: OurWorktree['use']; readonly isCleanNow: boolean | null },
): Promise<string | null> {
  if (use === 'gates' || use === 'pool' || worktree.head === null || !existsSync(worktree.path)) return null;
  if (isCleanNow === null) return `git cannot read it: git -C ${shellWord(worktree.path)} status`;
  if (!isCleanNow) return 'it has uncommitted work';
  // What is parked is named by a keep ref too, but a person may still want its worktree.
  const kept = loop?.phase.at === 'parked' ? [] : await listRefs(view, 'refs/paralph/keep/');
  for (const [, tip] of [...(await listRefs(view, 'refs/paralph/int/')), ...kept])
    if (await isAncestor(view, worktree.head, tip)) return null;
  return 'it has commits that have not landed';
}

export interface TakenWorktree {
  readonly path: string;
  /** null: it held nothing. */
  readonly kept: Kept | null;
}

/** Keeps what a worktree holds and removes it, with its branch where that is ours. Null: a loop took it first. */
export async function cleanWorktree(
  place: AwayPlace,
  ours: OurWorktree,
  { act, together }: { readonly act: KeepAct; readonly together: string },
): Promise<TakenWorktree | null> {
  const { path, loop } = ours;
  const order = { path, branch: ours.branch, loop: loop?.id ?? null, act, why: whyGoes(ours), together };
  if (ours.use === 'pool' || ours.use === 'gates') {
    const isCandidate = ours.use === 'gates';
    const kept = await keepWorktree(place, { ...order, isCandidate });
    if (kept !== null) refuseEmbedded(path, kept);
    const { repo, worktreeRoot } = place;
    const remove = (): Promise<void> => removeWorktree(repo, { path, worktreeRoot, kept: kept?.id ?? null });
    if (ours.use === 'pool' && !(await removeRetired(repo, path, remove))) return null;
    if (ours.use === 'gates') await takeAway(place, { ...order, isCandidate, always: false, takesBranch: false });
    return { path, kept };
  }
  const branch = loop?.branch ?? ours.branch;
  const kept = await takeAway(place, { ...order, branch, takesBranch: isOurBranch(place.repo, ours, branch) });
  reach('clean.done');
  return { path, kept };
}

/** Named by our log or by the note beside the worktree; any other is somebody's who came by. */
function isOurBranch(repo: Repository, { path, loop }: OurWorktree, branch: string | null): boolean {
  const adminDir = adminDirOf(repo, path);
  const noted = adminDir === null ? null : readLoopNote(adminDir);
  return branch !== null && (loop?.branch === branch || noted?.branch === branch);
}

function whyGoes({ use, loop }: OurWorktree): string {
  if (loop?.phase.at === 'landed') return 'its loop has landed';
  if (loop?.phase.at === 'parked')
    return loop.phase.reason === 'discarded' ? 'its loop was discarded' : 'it holds nothing unlanded';
  return use === 'orphan' ? 'no loop uses it any more' : 'it is not in use';
}
