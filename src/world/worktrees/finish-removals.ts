import { existsSync, closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.ts';
import { withMutex } from '../processes/mutex.ts';
import type { NotedRemoval, Removal } from './removals.ts';
import { deadRemovals, deleteAside, forgetRemoval, hasBegun, writeRemoval, noteOf } from './removals.ts';
import type { Repository } from '../git/run/repository.ts';
import { removeEntry } from './worktrees.ts';
import { DEFAULT_PATH } from '../processes/environment.ts';
import { spawnDetached } from '../processes/spawn-detached.ts';

/**
 * Ends every removal that was cut short: what was at its path is kept, and can be brought back only where nothing is left of it.
 * What cannot be deleted stays aside, where it is in nobody's way.
 */
export async function finishRemovals(repo: Repository): Promise<readonly Removal[]> {
  if (deadRemovals(repo).length === 0) return [];
  return withMutex(join(repo.stateDir, 'locks', 'removals'), async () => {
    const ended: Removal[] = [];
    for (const removal of deadRemovals(repo)) if (await finish(repo, removal)) ended.push(removal);
    return ended;
  });
}

/** True: a worktree is gone that was not before. */
async function finish(repo: Repository, removal: NotedRemoval): Promise<boolean> {
  const { path, name } = removal;
  const isNew = path !== null && hasBegun(removal);
  if (isNew) await removeEntry(repo, path);
  // From here on whatever stands at that path is another one.
  const rest = isNew ? writeRemoval(repo, name, { ...removal, path: null }) : removal;
  try {
    if (hasBegun(rest)) await deleteAside(repo, rest);
    forgetRemoval(repo, rest);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  return isNew;
}

/** What could not be deleted, and is in nobody's way. */
export const leftAside = (repo: Repository): readonly Removal[] =>
  deadRemovals(repo).filter(({ path, aside }) => path === null && existsSync(aside));

/** What has begun and was not ended. */
export const cutShort = (repo: Repository): readonly (Removal & { readonly path: string })[] =>
  deadRemovals(repo).flatMap((one) => (one.path !== null && hasBegun(one) ? [{ ...one, path: one.path }] : []));

/** Pairs of a folder and its note. The note goes last: of what cannot be deleted, the next start says so. */
const SCRIPT = 'while [ $# -gt 1 ]; do rm -rf -- "$1" && rm -f -- "$2"; shift 2; done';

/** Deletes what is aside in a process of its own that nobody waits for. Killed, it leaves the rest to whoever starts next. */
export async function deleteLater(repo: Repository, removals: readonly NotedRemoval[]): Promise<void> {
  if (removals.length === 0) return;
  // Its link goes first: whoever finds a folder that leads to git's entry would take it for the worktree.
  for (const { aside } of removals) rmSync(join(aside, '.git'), { force: true });
  const pairs = removals.flatMap((one) => [one.aside, noteOf(repo, one)]);
  const nowhere = openSync('/dev/null', 'w');
  try {
    const { identity } = await spawnDetached({
      argv: ['/bin/sh', '-c', SCRIPT, 'ralph-delete', ...pairs],
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? DEFAULT_PATH },
      stdio: ['ignore', nowhere, nowhere],
    });
    for (const one of removals) {
      if (existsSync(noteOf(repo, one))) writeRemoval(repo, one.name, one, identity);
      // It may be faster than we are.
      if (!existsSync(one.aside)) forgetRemoval(repo, one);
    }
  } finally {
    closeSync(nowhere);
  }
}
