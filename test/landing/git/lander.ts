import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import type { Knobs } from './land-host.ts';

/** A host in a process of its own, to be killed. */
export interface Lander {
  readonly start: (dir: string, knobs: Knobs) => Landing;
  readonly remove: () => void;
}

export interface Landing {
  readonly child: ChildProcess;
  /** What it complained about, once it is gone; null: it was killed, or had nothing left to do. */
  readonly ended: Promise<string | null>;
}

export async function bundleLander(): Promise<Lander> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'paralph-lander-')));
  const file = join(dir, 'lander.mjs');
  await build({
    input: join(import.meta.dirname, 'land-main.ts'),
    platform: 'node',
    // Some packages bring a second form of themselves that a bundle cannot hold.
    resolve: { mainFields: ['module', 'main'] },
    transform: { define: { __VERSION__: '"test"' } },
    output: { file, format: 'esm', codeSplitting: false },
    logLevel: 'silent',
  });
  return {
    start: (repo, knobs) => {
      const child = spawn(process.execPath, [file, repo, JSON.stringify(knobs)], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const ended = new Promise<string | null>((resolve) => {
        child.on('close', (code) => resolve(code === 0 || code === null ? null : said));
      });
      return { child, ended };
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
