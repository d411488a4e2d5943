import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { until } from '../e2e/harness/until.ts';
import { isThere, statOf } from './crowd.ts';
import type { Place } from './place.ts';
import { USER_MARK } from './place.ts';

/** Processes of the user's, which nobody may signal. They write down every signal that can be caught. */
export interface Strangers {
  readonly pids: readonly number[];
  readonly complaints: () => readonly string[];
  readonly end: () => void;
}

const SIGNALS = 'HUP INT QUIT TERM USR1 USR2 CONT TSTP ALRM';
const SCRIPT = `for one in ${SIGNALS}; do trap "echo $one >>'$1'" $one; done
echo up >"$1.up"
while :; do sleep 3 & wait $!; done`;

/** One in the repository, one in a worktree of the user's, one elsewhere. */
export async function startStrangers(place: Place, folders: readonly string[]): Promise<Strangers> {
  const all = folders.map((cwd, nth) => start(place, cwd, nth));
  // From then on they hear every signal.
  await until('strangers', () => all.every(({ book }) => existsSync(`${book}.up`)));
  return {
    pids: all.map(({ child }) => child.pid ?? 0),
    complaints: () =>
      all.flatMap(({ child, startedAt, book, cwd }) => {
        const pid = child.pid ?? 0;
        const said = existsSync(book) ? readFileSync(book, 'utf8').trim().split('\n') : [];
        const heard = said.filter((line) => line !== '').map((line) => `a stranger in ${cwd} was sent ${line}`);
        if (!isThere(pid, startedAt)) return [...heard, `a stranger in ${cwd} was killed`];
        return statOf(pid)?.state === 'T' ? [...heard, `a stranger in ${cwd} was stopped`] : heard;
      }),
    end: () => {
      for (const { child } of all) {
        try {
          process.kill(-(child.pid ?? 0), 'SIGKILL');
        } catch {
          // Already reported as gone.
        }
      }
    },
  };
}

function start(place: Place, cwd: string, nth: number): Stranger {
  const book = join(place.root, `stranger-${nth}`);
  writeFileSync(book, '');
  const child = spawn('sh', ['-c', SCRIPT, 'sh', book], {
    cwd,
    env: { ...place.env, [USER_MARK]: '1' },
    stdio: 'ignore',
    detached: true,
  });
  return { child, startedAt: statOf(child.pid ?? 0)?.start ?? '', book, cwd };
}

interface Stranger {
  readonly child: ChildProcess;
  readonly startedAt: string;
  readonly book: string;
  readonly cwd: string;
}
