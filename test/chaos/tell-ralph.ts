import { spawn } from 'node:child_process';

import type { Programs, Scene } from './scene.ts';

export interface Told {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How long a person waits before they press Ctrl-C for good. */
const PATIENCE_MS = 90_000;

/** A command of a person's. The nemesis may kill its git, and the disk may be full: that it fails is no wonder. */
export function tellRalph({ repo, env }: Scene, { main }: Programs, ...words: string[]): Promise<Told> {
  const child = spawn(process.execPath, [main, ...words], { cwd: repo, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    child.on('error', () => resolve({ code: null, stdout, stderr }));
    // Not its output's end: what outlives it may hold that open.
    child.on('exit', (code) => {
      clearTimeout(timer);
      setImmediate(() => resolve({ code, stdout, stderr }));
    });
  });
}

export interface LoopLine {
  readonly id: string;
  readonly task: string;
  readonly state: string;
  readonly reason: string | null;
  readonly why: string;
}

/** Every loop there is; null: nobody can say now. */
export async function loopsNow(scene: Scene, programs: Programs): Promise<readonly LoopLine[] | null> {
  const { code, stdout } = await tellRalph(scene, programs, 'loops', 'list', '--all', '--json');
  return code === 0 ? (parsed<{ readonly loops: readonly LoopLine[] }>(stdout)?.loops ?? null) : null;
}

/** What a command printed as JSON; null: it did not come to that. */
export function parsed<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}

/** Whether a command ended by a bug of its own, which nothing excuses. */
export function bugIn({ code, stderr }: Told, words: readonly string[]): readonly string[] {
  const isBug = code === 70 || /^\s+at .*\.js:\d+/m.test(stderr);
  return isBug ? [`ralph ${words.join(' ')} ended by a bug (exit ${code}): ${stderr.trim().slice(-600)}`] : [];
}
