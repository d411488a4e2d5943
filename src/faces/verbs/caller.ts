import { timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { loopId } from '../../core/model/ids.ts';
import { shellWord } from '../../core/model/shell-word.ts';
import { taskIdOf } from '../../core/model/tasks.ts';
import { describeStanding, standing } from '../../core/views/standing.ts';
import { findRepository } from '../../world/git/run/repository.ts';
import { isFolder, readIfThere } from '../../world/os/read-if-there.ts';
import { runFolder } from '../../world/git/run/state-places.ts';
import type { Loop, State } from '../../core/model/model.ts';
import type { Repository } from '../../world/git/run/repository.ts';
import type { Call } from '../call/handler.ts';

/** Who says to be calling. Nothing of it is believed before it is checked. */
export interface CallerClaim {
  readonly loop: string;
  readonly iteration: string;
  readonly token: string;
}

/** An agent inside its running iteration. */
export interface Caller {
  readonly repo: Repository;
  readonly loop: Loop;
  readonly n: number;
}

export interface CallerPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Null: a person, or an agent that was not started by us. */
  readonly claim: CallerClaim | null;
}

export const placeOf = ({ cwd, env }: Pick<Call, 'cwd' | 'env'>): CallerPlace => ({ cwd, env, claim: claimFrom(env) });

/** What the environment says. The folder says nothing: a person may stand in a loop's worktree, an agent outside it. */
export function claimFrom(env: NodeJS.ProcessEnv): CallerClaim | null {
  const loop = env['RALPH_LOOP_ID'] ?? '';
  return loop === '' ? null : { loop, iteration: env['RALPH_ITERATION'] ?? '', token: env['RALPH_TOKEN'] ?? '' };
}

/** The repository of the loop, found from here or from its worktree: agents also work in other folders and repositories. */
export function callerRepository({ cwd, env, claim }: CallerPlace): Repository {
  const here = repositoryOrNull(cwd);
  const worktree = env['RALPH_WORKTREE'] ?? '';
  const home = worktree === '' ? null : repositoryOrNull(worktree);
  const own = claim === null ? null : [here, home].find((repo) => repo !== null && hasLoop(repo, claim));
  return own ?? here ?? home ?? findRepository(cwd);
}

/** Who may speak for a loop, before the log is asked. */
export function requireClaim(place: CallerPlace, verb: string, forPeople: string): CallerClaim {
  if (place.claim !== null) return place.claim;
  throw new AppError('E_NO_LOOP', `ralph ${verb} is for agents inside a loop, and this is none`, {
    facts: ['a loop is known by RALPH_LOOP_ID, RALPH_ITERATION and RALPH_TOKEN, which ralph gives its agents'],
    remedy: forPeople,
  });
}

/** The caller, if the run folder holds its token and the log says that this very iteration is under way. */
export function checkCaller(repo: Repository, state: State, claim: CallerClaim): Caller {
  const n = /^[1-9]\d{0,8}$/.test(claim.iteration) ? Number(claim.iteration) : null;
  const id = loopId(claim.loop);
  const loop = Object.hasOwn(state.loops, id) ? state.loops[id] : undefined;
  if (loop === undefined || n === null) {
    const what = n === null ? `iteration ${JSON.stringify(claim.iteration)}` : `loop ${JSON.stringify(claim.loop)}`;
    throw new AppError('E_NO_LOOP', `${what} is not known in ${repo.root}`, { remedy: 'ralph status' });
  }
  if (!tokenFits(runFolder(repo, loop.id, n), claim.token))
    throw new AppError('E_NO_LOOP', `the token is not that of iteration ${n} of loop ${loop.id}`, {
      facts: ['RALPH_TOKEN must reach the command as ralph gave it to the agent'],
      remedy: 'ralph status',
    });
  if (loop.phase.at === 'iterating' && loop.phase.n === n) return { repo, loop, n };
  throw new AppError(
    'E_LOOP_ENDED',
    `iteration ${n} of loop ${loop.id} is over: the loop is ${describeStanding(standing(state, loop))}`,
    {
      facts: ['what it says now can no longer change anything'],
      remedy: `ralph task show ${shellWord(taskIdOf(state, loop.task))}`,
    },
  );
}

function hasLoop(repo: Repository, { loop }: CallerClaim): boolean {
  if (!/^[\w.-]+$/.test(loop)) return false;
  return isFolder(join(repo.stateDir, 'runs', loop));
}

function repositoryOrNull(folder: string): Repository | null {
  try {
    return findRepository(folder);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Compared as a whole, however early it differs: the time taken must not tell how much of a guess was right. */
function tokenFits(folder: string, given: string): boolean {
  const token = readIfThere(join(folder, 'token'));
  const guess = Buffer.from(given);
  return token !== null && token.length > 0 && guess.length === token.length && timingSafeEqual(guess, token);
}
