import type { Sha } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import { loopsOf } from '../../core/model/model.ts';
import { ownsBranch } from '../../core/model/place.ts';
import { reach } from '../os/failpoint.ts';
import { listRefs } from '../git/refs/refs.ts';
import { isCheckedOut } from '../git/files/worktree-admin.ts';
import { type KeepPlace, type Kept, keepCommit } from './keep.ts';
import { dropBranch } from './take-away.ts';

export interface SpareBranch {
  readonly loop: Loop;
  readonly branch: string;
  readonly tip: Sha;
}

/** Branches of loops that landed or were thrown away, still where the loop left them, and in no worktree. */
export async function spareBranches({ repo, view }: KeepPlace, state: State): Promise<readonly SpareBranch[]> {
  const tips = await listRefs(view, 'refs/heads/');
  return loopsOf(state).flatMap((loop) => {
    const { branch, head, phase } = loop;
    const tip = tips.get(`refs/heads/${branch}`);
    const isOver = phase.at === 'landed' || (phase.at === 'parked' && phase.reason === 'discarded');
    // One that was moved since is in somebody's hands.
    if (!isOver || !ownsBranch(loop) || tip === undefined || tip !== head || isCheckedOut(repo, branch)) return [];
    return [{ loop, branch, tip }];
  });
}

export async function takeBranch(
  place: KeepPlace,
  { loop, branch, tip }: SpareBranch,
  together: string,
): Promise<Kept> {
  const why = loop.phase.at === 'landed' ? 'its loop has landed' : 'its loop was discarded';
  const order = { commit: tip, name: loop.id, act: 'prune', why, loop: loop.id, branch, together } as const;
  const kept = await keepCommit(place, order);
  reach('spare.kept');
  await dropBranch(place, branch, tip);
  reach('spare.branch');
  return kept;
}
