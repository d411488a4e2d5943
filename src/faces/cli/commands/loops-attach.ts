import { AppError, EXIT } from '../../../core/model/errors.ts';
import type { Loop, State } from '../../../core/model/model.ts';
import { isWorking } from '../../../core/model/model.ts';
import { shellWord } from '../../../core/model/shell-word.ts';
import { taskIdOf } from '../../../core/model/tasks.ts';
import { plainView } from '../../../world/git/run/view.ts';
import { readRef } from '../../../world/git/refs/refs.ts';
import type { Repository } from '../../../world/git/run/repository.ts';
import { findRepository } from '../../../world/git/run/repository.ts';
import { listKeeps } from '../../../world/keep/list-keeps.ts';
import { livingTokens } from '../../../world/agents/quiet-loop.ts';
import { isThere } from '../../../world/os/read-if-there.ts';
import { runShell } from '../../../world/processes/run-shell.ts';
import { findLoop } from '../../call/find-loop.ts';
import type { Handler } from '../../call/handler.ts';
import { restoreCommand } from '../show/keep-view.ts';
import { readState } from '../../call/project.ts';
import { refuseInLoop } from '../run/refuse-in-loop.ts';

/** The person's shell in the worktree of a loop. How the shell ends is the person's business, not an outcome of ours. */
export const handle: Handler = async (call) => {
  refuseInLoop(call, 'loops attach');
  const repo = findRepository(call.cwd);
  const state = await readState(repo);
  const loop = findLoop(state, call.args[0] ?? '');
  const path = await requireWorktree(repo, state, loop);
  if (livingTokens(repo, { loop: loop.id, path }).length > 0)
    call.out.say(
      call.out.style.yellow(`an agent works in ${path} now: it sees, commits or undoes what you change there`),
    );
  call.out.say(`${loop.id} in ${path}; leave with exit`);
  const told = { RALPH_WORKTREE: path, RALPH_TASK_ID: taskIdOf(state, loop.task), RALPH_BRANCH: loop.branch };
  await runShell(path, call.env, told, `ralph loops attach ${shellWord(loop.id)}`);
  return EXIT.ok;
};

async function requireWorktree(repo: Repository, state: State, loop: Loop): Promise<string> {
  const { id, place, worktree } = loop;
  if (place.at === 'checkout')
    throw new AppError('E_NO_WORKTREE', `loop ${id} has no worktree of its own: it works in place, in ${place.path}`, {
      remedy: `cd ${shellWord(place.path)}`,
    });
  if (worktree !== null && isThere(worktree)) return worktree;
  const where = worktree === null ? '' : ` at ${worktree}`;
  throw new AppError('E_NO_WORKTREE', `loop ${id} has no worktree${where} ${isWorking(loop) ? 'now' : 'any more'}`, {
    remedy: await wayBack(repo, state, loop),
  });
}

/** The command that brings its files back into a folder. */
async function wayBack(repo: Repository, state: State, loop: Loop): Promise<string> {
  const [id, branch] = [shellWord(loop.id), shellWord(loop.branch)];
  // Whoever holds it makes a new one.
  if (isWorking(loop))
    return Object.keys(state.hosts).length > 0 ? `ralph loops logs ${id} -f` : `ralph loops resume ${id}`;
  if (loop.phase.at === 'landed') return `git worktree add --detach ../${id} ${loop.phase.commit.slice(0, 12)}`;
  const view = plainView(repo);
  if ((await readRef(view, `refs/heads/${loop.branch}`)) !== null)
    // git still knows the folder that went, and that it was ours: it wants to be told twice.
    return loop.worktree === null
      ? `git worktree add ../${id} ${branch}`
      : `git worktree add -f -f ${shellWord(loop.worktree)} ${branch}`;
  const keep = (await listKeeps(view)).find((one) => (one.loop ?? one.name) === loop.id);
  return keep === undefined ? 'ralph keep list' : `${restoreCommand(keep.id)} --worktree ../${id}`;
}
