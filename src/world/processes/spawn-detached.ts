import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { invariant } from '../../core/model/assert.ts';
import { AppError } from '../../core/model/errors.ts';
import { reach } from '../os/failpoint.ts';
import { identityOfOwnChild } from './identity.ts';
import { errnoOf, systemFailure } from '../os/system-failure.ts';
import type { ChildProcess } from 'node:child_process';
import type { ProcessIdentity } from './identity.ts';

export interface DetachedStart {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Output goes to open files, never through this process: a flood cannot fill its memory, its death breaks no pipe. */
  readonly stdio: readonly ['ignore' | number, number, number];
}

/** Starts a command as the leader of its own session: no terminal, a group to signal, and a life independent of ours. */
export async function spawnDetached(start: DetachedStart): Promise<{ child: ChildProcess; identity: ProcessIdentity }> {
  const [command, ...rest] = start.argv;
  let child: ChildProcess;
  try {
    const env = { ...start.env };
    child = spawn(command, rest, { cwd: start.cwd, env, detached: true, stdio: [...start.stdio] });
  } catch (error) {
    throw cannotStart(start, error);
  }
  if (child.pid === undefined) {
    const [error] = await once(child, 'error');
    throw cannotStart(start, error);
  }
  child.on('error', () => {});
  child.unref();
  return { child, identity: nameOrKill(child.pid) };
}

/** A child we cannot name could never be found or stopped again, so it does not get to live. */
function nameOrKill(pid: number): ProcessIdentity {
  try {
    reach('run.after_spawn');
    const identity = identityOfOwnChild(pid);
    invariant(identity !== null, 'a child not collected yet has an identity');
    return identity;
  } catch (error) {
    process.kill(-pid, 'SIGKILL');
    throw error;
  }
}

function cannotStart(start: DetachedStart, cause: unknown): AppError {
  // The shell is always there, so what is missing or closed is the folder.
  const inFolder = ['ENOENT', 'EACCES', 'ENOTDIR'].includes(errnoOf(cause) ?? '');
  if (inFolder) return new AppError('E_PROCESS', `the folder ${start.cwd} cannot be entered`, { cause });
  return systemFailure('A process could not be started', cause);
}
