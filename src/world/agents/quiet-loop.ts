import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { AppError } from '../../core/model/errors.ts';
import { outlastGit } from '../git/run/dead-lock.ts';
import { realpathLoose } from '../git/files/worktree-admin.ts';
import { pause } from '../os/clock.ts';
import { namesIfThere, textIfThere } from '../os/read-if-there.ts';
import { standsIn, findAllMarked } from '../processes/find-processes.ts';
import { stopTree } from '../processes/stop-tree.ts';
import { runFolder } from '../git/run/state-places.ts';
import { howMany } from '../../core/model/describe-time.ts';
import type { LoopId } from '../../core/model/ids.ts';
import type { Repository } from '../git/run/repository.ts';

const LOOK_AGAIN_MS = 100;
const GIT_ENDS_MS = 10_000;

export interface QuietOrder {
  readonly loop: LoopId;
  /** Its worktree; null: it has none. */
  readonly path: string | null;
  /** How long its host, if there is one, may take to end them itself. */
  readonly waitMs: number;
  /** How long they may take to end after being asked. */
  readonly graceMs: number;
}

/** The tokens of living processes of a loop: started for one of its iterations, or for gates in its worktree. */
export function livingTokens(repo: Repository, { loop, path }: Pick<QuietOrder, 'loop' | 'path'>): readonly string[] {
  const own = new Set(iterationTokens(repo, loop));
  const folder = path === null ? null : realpathLoose(path);
  const living = findAllMarked().filter(
    ({ token, identity }) => own.has(token) || (folder !== null && standsIn(identity.pid, folder)),
  );
  return [...new Set(living.map(({ token }) => token))];
}

/** Resolves when no process of the loop lives: its host lets go of it, or they are ended here, each known by its token. */
export async function quietLoop(repo: Repository, order: QuietOrder): Promise<void> {
  const deadline = performance.now() + order.waitMs;
  while (livingTokens(repo, order).length > 0 && performance.now() < deadline) await pause(LOOK_AGAIN_MS);
  for (const token of livingTokens(repo, order)) {
    const { left } = await stopTree({ identity: null, token, graceMs: order.graceMs });
    if (left > 0)
      throw new AppError('E_BUSY', `${howMany(left, 'process', 'processes')} of loop ${order.loop} cannot be ended`);
  }
  const busy = order.path === null ? [] : await outlastGit({ folder: order.path, mentions: order.path }, GIT_ENDS_MS);
  if (busy.length > 0) throw new AppError('E_BUSY', `git (process ${busy[0]}) still works in ${order.path ?? ''}`);
}

/** Asks the processes of a loop to end, and kills none of them. How many live on. */
export async function askLoop(repo: Repository, order: Omit<QuietOrder, 'waitMs'>): Promise<number> {
  let left = 0;
  for (const token of livingTokens(repo, order))
    left += (await stopTree({ identity: null, token, graceMs: order.graceMs, spares: true })).left;
  return left;
}

/** The marks of whatever was started for its iterations. */
export function iterationTokens(repo: Repository, loop: LoopId): readonly string[] {
  const runs = dirname(runFolder(repo, loop, 1));
  return namesIfThere(runs)
    .map((n) => textIfThere(join(runs, n, 'token')).trim())
    .filter((token) => token !== '');
}
