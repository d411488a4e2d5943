import type { LoopId } from '../../../core/model/ids.ts';
import type { State } from '../../../core/model/model.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import type { Call } from '../../call/handler.ts';
import type { Drive } from './drive-host.ts';
import { settleKeeps } from './settle-keeps.ts';
import { readState } from '../../call/project.ts';
import { writeFacts } from '../../call/write-facts.ts';

/** At the end of a run: of the worktrees that nobody uses, as many stay as loops may work at once. */
export async function trimSpare({ cwd }: Call, { world, settings }: Drive): Promise<void> {
  const repo = findRepository(cwd);
  const retired = async (loop: LoopId, path: string): Promise<boolean> => {
    const mayGo = ({ loops }: State): boolean => loops[loop]?.phase.at === 'parked' && loops[loop].worktree === path;
    const state = await writeFacts(repo, async (now) => (mayGo(now) ? [{ type: 'worktree-retired', loop }] : []));
    return mayGo(state);
  };
  const order = { state: await readState(repo), max: settings.parallel.maxWorkers, retired };
  // What stays costs room only, and goes after the next run.
  const gone = await world.worktrees.trim(order).catch(() => 0);
  // What was kept before they went is on the log's list at once.
  if (gone > 0) await settleKeeps(repo);
}
