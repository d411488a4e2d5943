import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';

import type { Scene } from './scene.ts';
import { readBook } from './scene.ts';

/** Where work may be: on a branch, landed, or kept. Anything else is lost at the next collection of garbage. */
const HOLDERS = ['--branches', '--glob=refs/paralph/int', '--glob=refs/paralph/keep'];

/** Commits that an agent made and that nothing reaches any more. */
export function lostCommits(scene: Scene): readonly string[] {
  const made = readBook(scene, 'commits').filter(([, loop]) => loop !== 'user');
  if (made.length === 0) return [];
  const reached = new Set(scene.git('rev-list', ...HOLDERS, ...standing(scene)).split('\n'));
  return made
    .filter(([commit = '']) => !reached.has(commit))
    .map(([commit, loop]) => `lost: commit ${commit} of loop ${loop} is reached by no branch and no keep ref`);
}

/** Files that an agent left uncommitted and that are neither in a commit nor on disk any more. */
export function lostFiles(scene: Scene): readonly string[] {
  const left = readBook(scene, 'files');
  if (left.length === 0) return [];
  const objects = scene.git('rev-list', '--objects', ...HOLDERS, ...standing(scene)).split('\n');
  const held = new Set(objects.map((line) => line.slice(0, 40)));
  return left
    .filter(([blob = '', , path = '']) => !held.has(blob) && hashOf(scene, path) !== blob)
    .map(([blob, task, path]) => `lost: ${path} (${blob}) of task ${task} is in no commit and not on disk`);
}

/** Heads of checkouts that stand on no branch: they are still on disk, where a person finds them. */
function standing({ repo }: Scene): readonly string[] {
  const folder = join(repo, '.git', 'worktrees');
  const linked = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [join(repo, '.git'), ...linked]
    .map((gitDir) => contentOf(join(gitDir, 'HEAD')).trim())
    .filter((head) => /^[0-9a-f]{40}$/.test(head) && !/^0+$/.test(head));
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function hashOf(scene: Scene, path: string): string {
  if (!existsSync(path)) return '';
  return spawnSync('git', ['hash-object', '--no-filters', path], { env: scene.env, encoding: 'utf8' }).stdout.trim();
}
