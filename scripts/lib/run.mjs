import { spawn } from 'node:child_process';
import { ROOT, inRoot } from './root.mjs';

/** The path of a program a development package brings. */
export const tool = (name) => inRoot('node_modules', '.bin', name);

/** Runs a program to its end; with piped output (the default) collects what it said. */
export function run(argv, options = {}) {
  const startedMs = Date.now();
  return new Promise((resolve, reject) => {
    const child = spawn(argv[0], argv.slice(1), { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => (output += text));
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output, durationMs: Date.now() - startedMs }));
  });
}
