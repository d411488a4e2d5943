import { closeSync, constants, openSync } from 'node:fs';
import { readLoopNote } from '../worktrees/loop-notes.ts';
import { openSealsOf } from '../git/run/open-seals.ts';
import { findRepository } from '../git/run/repository.ts';
import type { Repository } from '../git/run/repository.ts';
import { adminDirOf } from '../git/files/worktree-admin.ts';
import { LOOP_VARIABLE } from '../processes/marker.ts';
import { shimAbove } from '../processes/find-processes.ts';
import { readShim } from '../processes/shim.ts';

export interface LoopAround {
  readonly loop: string;
  /** It was started by that loop's agent, or merely stands where that one works. */
  readonly by: 'start' | 'place';
}

/**
 * The loop in which this process runs: its environment says so, a shim of ours started it, however far above, or it stands in a
 * worktree whose agent is at work and no person's terminal belongs to it. Null: a person called, or whatever a person started.
 */
export function loopAround(env: NodeJS.ProcessEnv, cwd: string): LoopAround | null {
  const named = env[LOOP_VARIABLE] ?? '';
  const inside = named === '' ? shimAbove() : named;
  if (inside !== null) return { loop: inside, by: 'start' };
  const standing = hasTerminal() ? null : loopAtWorkIn(cwd);
  return standing === null ? null : { loop: standing, by: 'place' };
}

/** An agent that lets go of its parents still stands where it works. */
function loopAtWorkIn(cwd: string): string | null {
  const repo = repositoryOrNull(cwd);
  const adminDir = repo?.linked === true ? adminDirOf(repo, repo.worktree) : null;
  const note = adminDir === null ? null : readLoopNote(adminDir);
  if (repo === null || note === null) return null;
  const isAtWork = openSealsOf(repo.commonDir).some(
    ({ loop, dir }) => loop === note.loop && readShim(dir).state === 'running',
  );
  return isAtWork ? note.loop : null;
}

function repositoryOrNull(cwd: string): Repository | null {
  try {
    return findRepository(cwd);
  } catch {
    return null;
  }
}

/** Agents are started without one, in a session of their own. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}
