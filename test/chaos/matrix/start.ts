import { spawn } from 'node:child_process';

import type { Scene } from './scene.ts';

/** Where the programs are: as it ships, and with failpoints. */
export interface Programs {
  readonly main: string;
  readonly fallible: string;
}

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly said: string;
}

const HOST_MS = 90_000;

/** How it ended, in a few words. */
export const describe = ({ code, signal, said }: Ran): string =>
  `${signal ?? `exit ${code}`}${code === 0 ? '' : `: ${said.trim().split('\n').slice(-4).join(' | ')}`}`;

/** Runs a program in the scene to its end, with something armed in it or nothing. */
export function start(scene: Scene, argv: readonly string[], armed: string): Promise<Ran> {
  const child = spawn(process.execPath, argv, {
    cwd: scene.repo,
    env: { ...scene.env, ...(armed === '' ? {} : { RALPH_FAILPOINTS: armed }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      said += `\ndid not end within ${HOST_MS} ms`;
      child.kill('SIGKILL');
    }, HOST_MS);
    // Not its output's end: agents that outlive it may hold that open.
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      setImmediate(() => resolve({ code, signal, said }));
    });
  });
}
