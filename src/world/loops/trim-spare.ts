import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { isUntouched } from '../setup/carry-files.ts';
import { listCarried } from '../setup/provisions.ts';
import { hasSubmodules, requireSafeSubmodules } from '../worktrees/submodules.ts';
import { reach } from '../os/failpoint.ts';
import { dropGate, gateSlotOf } from '../gates/gate-worktree.ts';
import { deleteLater } from '../worktrees/finish-removals.ts';
import { forgetRemoval, putAside } from '../worktrees/removals.ts';
import { adminDirOf, realpathLoose } from '../git/files/worktree-admin.ts';
import { isAsRetired, removeRetired } from '../worktrees/worktree-pool.ts';
import { isClean } from '../git/files/worktree-state.ts';
import { removeEntry } from '../worktrees/worktrees.ts';
import { keepLeft, awayLock, refuseEmbedded } from '../keep/take-away.ts';
import { keepWorktree } from '../keep/keep.ts';
import { unlinkWorktree } from '../worktrees/loop-notes.ts';
import { withMutex } from '../processes/mutex.ts';
import { ourWorktrees } from './our-worktrees.ts';
import { processSource } from '../processes/process-source.ts';
import { namesIfThere } from '../os/read-if-there.ts';
import { standsIn } from '../processes/find-processes.ts';
import type { TrimOrder } from '../contract/outcomes.ts';
import type { NotedRemoval } from '../worktrees/removals.ts';
import type { AwayPlace } from '../keep/take-away.ts';
import type { OurWorktree } from './our-worktrees.ts';
import type { Provisions } from '../setup/provisions.ts';

/** Looking into one is mostly waiting for git. */
const AT_ONCE = 4;

type Place = AwayPlace & { readonly provisions: Provisions };

/**
 * Takes away the worktrees beyond `max` that nobody uses now. What they hold is kept first; then each leaves its place by one
 * rename, and only what is aside is deleted, by a process that nobody waits for.
 */
export async function trimSpare(place: Place, { state, max, retired }: TrimOrder): Promise<number> {
  // Most runs leave no more, and must not pay for a closer look.
  const isFew = [place.worktreeRoot, join(place.repo.commonDir, 'worktrees')].some(
    (folder) => namesIfThere(folder).length <= max,
  );
  if (isFew || Object.keys(state.hosts).length > 0) return 0;
  const spare = (await ourWorktrees({ ...place, state })).filter((one) => one.isSpare);
  const going = inOrder(spare).slice(max);
  const others = processSource.list().filter(({ pid }) => pid !== process.pid);
  const isStoodIn = (path: string): boolean => others.some(({ pid }) => standsIn(pid, realpathLoose(path)));
  const aside: NotedRemoval[] = [];
  const work = async (): Promise<void> => {
    for (let one = going.shift(); one !== undefined; one = going.shift())
      try {
        const removal = isStoodIn(one.path) ? null : await putAway(place, one, retired);
        if (removal === null) continue;
        aside.push(removal);
        unlinkWorktree(place.repo, one.path);
      } catch (error) {
        // One that cannot go stays and is listed; the others go all the same.
        if (!(error instanceof AppError)) throw error;
      }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await deleteLater(place.repo, aside);
  reach('spare.handed');
  return aside.length;
}

/** A person who looks at parked work is there before the next loop; of the others, one for gates and one for a loop by turns. */
function inOrder(spare: readonly OurWorktree[]): OurWorktree[] {
  const since = ({ loop }: OurWorktree): number => loop?.since ?? 0;
  const of = (use: OurWorktree['use']): readonly OurWorktree[] => spare.filter((one) => one.use === use);
  const [gates, pool] = [of('gates').toSorted((a, b) => slotOf(a) - slotOf(b)), of('pool')];
  const byTurns = Array.from({ length: Math.max(gates.length, pool.length) }, (_, at) => [gates[at], pool[at]]);
  const shared = byTurns.flat().filter((one) => one !== undefined);
  return [...of('loop').toSorted((a, b) => since(b) - since(a)), ...shared, ...of('orphan')];
}

const slotOf = ({ path }: OurWorktree): number => gateSlotOf(path) ?? 0;

/** Null: somebody took it into use first. */
async function putAway(place: Place, ours: OurWorktree, retired: TrimOrder['retired']): Promise<NotedRemoval | null> {
  const { repo, worktreeRoot } = place;
  const { path, use, loop } = ours;
  let removal: NotedRemoval | null = null;
  const remove = async (): Promise<void> => {
    removal = await takeOut(place, ours, () => (loop === null ? Promise.resolve(true) : retired(loop.id, path)));
  };
  if (use === 'pool') await removeRetired(repo, path, remove);
  else if (use === 'gates') await dropGate(repo, worktreeRoot, slotOf(ours), remove);
  else await withMutex(awayLock(place, path), remove);
  return removal;
}

/** In this order a kill leaves it whole at its place, or aside with a note by which it is ended. */
async function takeOut(place: Place, ours: OurWorktree, mayGo: () => Promise<boolean>): Promise<NotedRemoval | null> {
  const { repo } = place;
  const { path } = ours;
  const removal = putAside(repo, realpathLoose(path), await keepAll(place, ours));
  if (!(await mayGo())) {
    renameSync(removal.aside, path);
    forgetRemoval(repo, removal);
    return null;
  }
  reach('spare.told');
  await removeEntry(repo, path);
  reach('spare.entry');
  return { ...removal, path: null };
}

/** The id of the keep; null: a ref holds all of it. What was copied into it and is as it was then is still where it came from. */
async function keepAll(place: Place, { path, branch, use, loop }: OurWorktree): Promise<string | null> {
  const isCandidate = use === 'gates';
  if (!isCandidate && hasSubmodules(path)) await requireSafeSubmodules(path);
  for (const file of place.provisions.files)
    if (isUntouched(path, file)) rmSync(join(path, file.path), { force: true });
  const why = 'its worktree was not in use';
  const order = { path, branch, loop: loop?.id ?? null, act: 'spare', why } as const;
  const kept = (await holdsNothing(place, path, use)) ? null : await keepWorktree(place, { ...order, isCandidate });
  if (kept !== null) refuseEmbedded(path, kept);
  // What a worktree of the pool stood on before has landed, or was kept with its loop.
  if (use === 'loop' || use === 'orphan') await keepLeft(place, order);
  return kept?.id ?? null;
}

/** Nothing but what a branch names, or what was given back because it had landed; and of ignored files none worth keeping. */
async function holdsNothing(
  { repo, view, worktreeRoot, ignored }: Place,
  path: string,
  use: OurWorktree['use'],
): Promise<boolean> {
  const isSame = use === 'pool' ? await isAsRetired(repo, path, worktreeRoot) : await isClean(path);
  const index = join(adminDirOf(repo, path) ?? repo.commonDir, 'index');
  return isSame && (await listCarried(view, path, index, { copy: ignored })).length === 0;
}
