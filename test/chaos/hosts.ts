import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { peakMb, statOf } from './crowd.ts';
import type { Programs, Scene } from './scene.ts';

export interface Host {
  readonly nth: number;
  readonly pid: number;
  readonly name: string;
  readonly log: string;
  readonly failpoints: string | null;
  /** A single loop in the user's checkout, which does no other work. */
  readonly isSingle: boolean;
  readonly ended: Promise<HostEnd>;
  readonly isUp: () => boolean;
}

export interface HostEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The hosts of a round: started, watched, and remembered. */
export interface Hosts {
  /** Those that live and work through the task file. */
  readonly up: () => readonly Host[];
  /** And the single loops. */
  readonly alive: () => readonly Host[];
  readonly start: (order: { readonly words: readonly string[]; readonly failpoints: string | null }) => Host;
  readonly all: readonly Host[];
  /** What no host may ever do: end by a bug of its own. */
  readonly complaints: () => readonly string[];
  readonly peakMb: () => number;
}

const BUG = 70;

export function makeHosts(scene: Scene, programs: Programs): Hosts {
  const all: Host[] = [];
  const complaints: string[] = [];
  let peak = 0;
  return {
    all,
    up: () => all.filter((host) => host.isUp() && !host.isSingle),
    alive: () => all.filter((host) => host.isUp()),
    complaints: () => complaints,
    peakMb: () => (peak = Math.max(peak, ...all.filter((host) => host.isUp()).map((host) => peakMb(host.pid)))),
    start: ({ words, failpoints }) => {
      const nth = all.length;
      const log = join(scene.root, `host-${nth}.log`);
      const main = failpoints === null ? programs.main : (programs.testMain ?? programs.main);
      const child = spawnHost(scene, { main, words, failpoints, log });
      const host = describe(child, { nth, log, failpoints, isSingle: !words.includes('--parallel') });
      void host.ended.then(({ code }) => {
        const said = readFileSync(log, 'utf8');
        // What a failpoint throws is no bug of the host's.
        const isProvoked = /^failpoint \S+ throw$/m.test(said);
        if (!isProvoked && (code === BUG || /^\s+at .*\.js:\d+/m.test(said)))
          complaints.push(`host ${nth} ended by a bug (exit ${code}), see ${log}: ${said.trim().slice(-600)}`);
      });
      all.push(host);
      return host;
    },
  };
}

interface Spawning {
  readonly main: string;
  readonly words: readonly string[];
  readonly failpoints: string | null;
  readonly log: string;
}

function spawnHost(scene: Scene, { main, words, failpoints, log }: Spawning): ChildProcess {
  const file = openSync(log, 'a');
  try {
    return spawn(process.execPath, [main, ...words], {
      cwd: scene.repo,
      env: { ...scene.env, ...(failpoints === null ? {} : { RALPH_FAILPOINTS: failpoints }) },
      stdio: ['ignore', file, file],
    });
  } finally {
    closeSync(file);
  }
}

function describe(child: ChildProcess, rest: Pick<Host, 'nth' | 'log' | 'failpoints' | 'isSingle'>): Host {
  const pid = child.pid ?? 0;
  const ended = new Promise<HostEnd>((resolve) => {
    child.on('error', () => resolve({ code: null, signal: null }));
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  return {
    ...rest,
    pid,
    name: `${pid}.${statOf(pid)?.start ?? ''}`,
    ended,
    isUp: () => child.exitCode === null && child.signalCode === null,
  };
}
