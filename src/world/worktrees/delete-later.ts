import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_PATH } from '../processes/environment.ts';
import { spawnDetached } from '../processes/spawn-detached.ts';
import { type NotedRemoval, forgetRemoval, noteOf, writeRemoval } from './removals.ts';
import type { Repository } from '../git/run/repository.ts';

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
