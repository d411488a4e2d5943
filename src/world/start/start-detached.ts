import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import type { Repository } from '../git/run/repository.ts';
import { ensureRalphFolder, ralphFolder } from '../git/run/state-places.ts';
import { readTail } from '../os/tail.ts';
import { spawnDetached } from '../processes/spawn-detached.ts';

export interface DetachedRun {
  readonly pid: number;
  /** Where all goes that it says. */
  readonly log: string;
  /** Its exit code once it has ended; null until then, and where a signal ended it. */
  readonly exit: () => number | null;
  readonly ended: Promise<unknown>;
  /** What it said last. */
  readonly said: () => string;
}

const SAID_BYTES_MAX = 16 * 1024;

/** This very program once more, in a session of its own: no terminal that is closed ends it. */
export async function startDetached(
  repo: Repository,
  { words, cwd, env }: { readonly words: readonly string[]; readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<DetachedRun> {
  ensureRalphFolder(repo);
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+Z$/g, '');
  const log = join(ralphFolder(repo), 'logs', `run-${stamp}-${process.pid}.log`);
  const fd = openSync(log, 'a', 0o644);
  try {
    const argv = [process.execPath, ...process.execArgv, process.argv[1] ?? '', ...words] as const;
    const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const start = { argv, cwd, env: Object.fromEntries(given), stdio: ['ignore', fd, fd] as const };
    const { child, identity } = await spawnDetached(start);
    return {
      pid: identity.pid,
      log,
      exit: () => child.exitCode,
      ended: once(child, 'exit'),
      said: () => readTail(log, SAID_BYTES_MAX),
    };
  } finally {
    closeSync(fd);
  }
}
