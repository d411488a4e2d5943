import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TaskKey } from '../../core/model/ids.ts';
import type { Loop, State } from '../../core/model/model.ts';
import { trackerOf } from '../../core/model/tasks.ts';
import { newestLoops } from '../../core/plan/newest-loops.ts';
import type { Repository } from '../git/run/repository.ts';
import { branchTip } from '../worktrees/worktrees.ts';

/** These hold no task, or are settled by another way of saying so. */
const SETTLED: ReadonlySet<string> = new Set(['reset', 'discarded', 'duplicate', 'pull-request', 'replaced']);

/** Whoever takes the worktree or the branch of a parked loop away by hand wants nothing more of it: its task is free. */
export async function freedByHand(repo: Repository, state: State, tracker: string): Promise<readonly TaskKey[]> {
  const parked = [...newestLoops(state).values()].filter(
    (loop) => trackerOf(state, loop.task) === tracker && holdsTask(state, loop),
  );
  const gone = await Promise.all(
    parked.map(async (loop) => isFolderGone(loop) || (await branchTip(repo, loop.branch)) === null),
  );
  return parked.flatMap(({ task }, at) => (gone[at] === true ? [task] : []));
}

const holdsTask = ({ attempts }: State, { phase, place, task, iteration }: Loop): boolean =>
  phase.at === 'parked' &&
  !SETTLED.has(phase.reason) &&
  place.at === 'worktree' &&
  iteration > 0 &&
  (attempts[task] ?? 0) > 0;

/** Where the folder around it is gone as well, the repository may have been moved. */
const isFolderGone = ({ worktree }: Loop): boolean =>
  worktree !== null && !existsSync(worktree) && existsSync(dirname(worktree));
