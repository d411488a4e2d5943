import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';

const ROOT = join(import.meta.dirname, '..', '..');

export interface Bundled {
  /** Starts it with these arguments; `output` resolves with what it printed, once it ended with 0. */
  start(...args: string[]): { readonly child: ChildProcess; readonly output: Promise<string> };
  remove(): void;
}

/** A program of ours outside the test runner: for what takes a second process, or one that may be killed. `src/` in imports is ours. */
export async function bundleChild(source: string): Promise<Bundled> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'paralph-child-')));
  const entry = join(dir, 'entry.ts');
  const file = join(dir, 'child.mjs');
  writeFileSync(entry, source.replaceAll("from 'src/", `from '${ROOT}/src/`));
  const output = { dir, format: 'esm', entryFileNames: 'child.mjs', chunkFileNames: '[name]-[hash].mjs' } as const;
  await build({ input: entry, platform: 'node', output, logLevel: 'silent' });
  return {
    start: (...args) => {
      const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
      return { child, output: outputOf(child) };
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

function outputOf(child: ChildProcess): Promise<string> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<string>((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (code === 0) resolve(out);
      else reject(new Error(`ended with ${code ?? signal}: ${err}`));
    });
  });
  // A test that kills it does not look at how it ended.
  ended.catch(() => {});
  return ended;
}

/** Waits until something holds; what never does fails the test by its deadline. */
export async function until(what: string, holds: () => boolean, deadlineMs = 20_000): Promise<void> {
  const start = performance.now();
  while (!holds()) {
    if (performance.now() - start > deadlineMs) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
