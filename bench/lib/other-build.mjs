// The bundle of another commit, built once into the cache, so that two builds can be measured by turns.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const sh = (cwd, script, ...args) => execFileSync('sh', ['-ec', script, 'sh', ...args], { cwd, encoding: 'utf8' });

/** The path of `main.js` built from a commit of this repository. */
export function buildOf(commit) {
  const sha = sh(ROOT, 'git rev-parse --verify --quiet "$1^{commit}"', commit).trim();
  const folder = join(ROOT, '.cache', 'builds', sha);
  const main = join(folder, 'dist', 'main.js');
  if (existsSync(main)) return main;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  sh(ROOT, 'git archive "$1" | tar -x -C "$2"', sha, folder);
  sh(folder, 'npm ci --silent --no-audit --no-fund && node scripts/build.mjs 1>&2');
  return main;
}
