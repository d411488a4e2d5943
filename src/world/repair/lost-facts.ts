import { existsSync, rmSync } from 'node:fs';
import type { Event } from '../../core/model/events.ts';
import type { FoundLoop } from '../../core/model/found-loop.ts';
import type { LoopId, Sha } from '../../core/model/ids.ts';
import { taskKey } from '../../core/model/ids.ts';
import { standingOf, vouchedFor } from '../../core/loops/integration-value.ts';
import type { State } from '../../core/model/model.ts';
import { isWorking, loopsOf } from '../../core/model/model.ts';
import type { Identity } from '../git/run/identity.ts';
import { readRef } from '../git/refs/refs.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';
import { treeOf } from '../git/objects/trees.ts';
import { lookAtIntegration } from '../landing/integration-value.ts';
import { findLandings } from '../git/objects/history.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import { notedWorktrees, readLoopNote } from '../worktrees/loop-notes.ts';
import { lossNote } from '../log/salvage.ts';
import { ownIdentity } from '../processes/identity.ts';
import type { ProcessIdentity } from '../processes/identity.ts';
import { runFolder } from '../git/run/state-places.ts';
import { stopLeftoverAgents } from '../processes/leftover-agents.ts';
import { findUnlandedLoops } from '../loops/unlanded-loops.ts';

/** A salvage had to leave out facts, and nobody has asked git for them yet. */
export const areFactsLost = (repo: Repository): boolean => existsSync(lossNote(repo.stateDir));

/** They are in the log again. */
export const settleLoss = (repo: Repository): void => rmSync(lossNote(repo.stateDir), { force: true });

export interface FactsPlace {
  readonly repo: Repository;
  readonly view: GitView;
  readonly identity: Identity;
  readonly target: string;
  /** The task file of landings that do not name theirs. */
  readonly tracker: string;
}

/** What git knows of facts the log lost: landings by their trailers, loops by their notes. What the log has, they do not change. */
export async function factsFromGit(place: FactsPlace, state: State, since = ownIdentity()): Promise<readonly Event[]> {
  await stopOvertaken(place.repo, state, since);
  const known = vouchedFor(state, place.target);
  const seen = await lookAtIntegration(place, known);
  const isStrange = standingOf(known, seen) === 'strange' && seen.head !== null;
  const believed = isStrange ? await readRef(place.view, `refs/heads/${place.target}`) : seen.head;
  const landings = believed === null ? [] : await findLandings(place.view, believed);
  // One that is only being prepared has a worktree by now, with work the log does not know of.
  const isKnown = (id: LoopId): boolean => (state.loops[id]?.phase.at ?? 'preparing') !== 'preparing';
  const loops = await findUnlandedLoops(place, isKnown);
  return [
    ...inOtherHands(place.repo, state),
    ...loops.flatMap((found) => madeSince(place.repo, state, found)),
    {
      type: 'landings-found',
      landings: landings.map(({ task, tracker, loop, commit, atMs }) => ({
        task: taskKey(tracker ?? place.tracker, task),
        loop,
        commit,
        at: atMs,
      })),
    },
    { type: 'loops-found', loops },
    ...(isStrange ? await unknownValue(place.view, seen.head) : []),
  ];
}

/** What is on integration and the log does not know is tested before it is believed. */
async function unknownValue(view: GitView, head: Sha): Promise<readonly Event[]> {
  const tree = await treeOf(view, head).catch(() => null);
  return tree === null ? [] : [{ type: 'integration-unknown', head, tree }];
}

/** The log still waits for a worktree in which somebody has worked since: where that work began, only the note tells. */
function madeSince(repo: Repository, state: State, found: FoundLoop): readonly Event[] {
  const fence = state.loops[found.loop]?.fence;
  const path = notedWorktrees(repo).find((one) => one.note.loop === found.loop && existsSync(one.path))?.path;
  if (fence === undefined || path === undefined) return [];
  const { loop, base, baseTree, head, tree } = found;
  return [{ type: 'worktree-made', loop, fence, path, base, baseTree, head, tree, reused: true }];
}

/** The log tells of loops as they were; the worktree of one that ended since may have been given to another. */
function inOtherHands(repo: Repository, state: State): readonly Event[] {
  return loopsOf(state).flatMap((loop): readonly Event[] => {
    const adminDir = loop.worktree === null || !isWorking(loop) ? null : adminDirOf(repo, loop.worktree);
    const note = adminDir === null ? null : readLoopNote(adminDir);
    return note === null || note.loop === loop.id ? [] : [{ type: 'worktree-lost', loop: loop.id }];
  });
}

/**
 * Where an iteration ran that the log does not know, an agent may work in a worktree that the log holds for idle. Its run folder
 * tells how it ended.
 */
async function stopOvertaken(repo: Repository, state: State, since: ProcessIdentity): Promise<void> {
  for (const { id, worktree, phase, iteration } of loopsOf(state)) {
    const known = phase.at === 'iterating' ? phase.n : iteration;
    if (worktree !== null && existsSync(runFolder(repo, id, known + 1))) await stopLeftoverAgents(id, worktree, since);
  }
}
