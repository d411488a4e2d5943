import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { gitSays } from '../e2e/harness/git.ts';
import { TRUTH } from './agent-script.ts';
import { INT } from './scene.ts';
import type { Scene } from './scene.ts';

const REFS = [INT, 'refs/heads/main'];

/** Tasks that landed more than once: by what the landings say, and by the token each loop leaves in its files. */
export function doubleLandings(scene: Scene): readonly string[] {
  return REFS.filter((ref) => gitSays(scene.git, 'rev-parse', '--verify', '--quiet', ref)).flatMap((ref) => [
    ...twice(landedTasks(scene, ref)).map((task) => `double: ${task} landed twice on ${ref}, by its trailers`),
    ...tokens(scene, ref).map((line) => `double: on ${ref} ${line}`),
  ]);
}

/** The task of every landing on the first-parent line. */
export function landedTasks({ git }: Scene, ref: string): readonly string[] {
  return git('log', '--first-parent', '--format=%(trailers:key=Ralph-Task,valueonly,separator=%x20)', ref)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function twice(names: readonly string[]): readonly string[] {
  return names.filter((name, at) => names.indexOf(name) !== at);
}

function tokens({ git }: Scene, ref: string): readonly string[] {
  if (!gitSays(git, 'cat-file', '-e', `${ref}:tokens`)) return [];
  const lines = git('grep', '-c', '', ref, '--', 'tokens').split('\n');
  return lines
    .filter((line) => Number(line.slice(line.lastIndexOf(':') + 1)) > 1)
    .map((line) => `${line.split(':')[1]} holds the token of ${line.slice(line.lastIndexOf(':') + 1)} loops`);
}

/** Looks at every value a watched ref ever took, once. */
export interface GreenWatch {
  /** Remembers where the refs stand now, also where no reflog could be written. */
  readonly look: () => void;
  /** Values that do not satisfy the truth. */
  readonly red: () => readonly string[];
  readonly values: () => number;
}

export function watchGreen(scene: Scene): GreenWatch {
  const judged = new Map<string, boolean>();
  const seen = new Set<string>();
  return {
    look: () => {
      for (const ref of REFS) {
        const path = join(scene.repo, '.git', ref);
        const value = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
        if (/^[0-9a-f]{40}$/.test(value)) seen.add(value);
      }
    },
    red: () => {
      for (const commit of REFS.flatMap((ref) => reflog(scene, ref))) seen.add(commit);
      for (const commit of seen) if (!judged.has(commit)) judged.set(commit, isGreen(scene, commit));
      const red = [...judged].filter(([, green]) => !green);
      return red
        .filter(([commit]) => !isAgents(scene, commit))
        .map(([commit]) => `red: main or integration stood at ${commit}`);
    },
    values: () => judged.size,
  };
}

/** What an agent in the user's checkout commits there stands on main until its iteration is over, and no longer. */
function isAgents({ git }: Scene, commit: string): boolean {
  const isOurs = [...REFS].some((ref) => gitSays(git, 'merge-base', '--is-ancestor', commit, ref));
  return !isOurs && git('log', '-1', '--format=%s', commit).startsWith('in-place-');
}

/** Every commit a ref has stood at. A line that a full disk cut short says nothing. */
function reflog({ repo }: Scene, ref: string): readonly string[] {
  const path = join(repo, '.git/logs', ref);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return lines.map((line) => line.split(' ')[1] ?? '').filter((value) => /^[0-9a-f]{40}$/.test(value));
}

function isGreen(scene: Scene, commit: string): boolean {
  const folder = mkdtempSync(join(scene.root, 'value-'));
  const act = `git archive ${commit} | tar -x -C ${folder} && cd ${folder} && ( ${TRUTH} )`;
  const { status } = spawnSync('sh', ['-c', act], { cwd: scene.repo, env: scene.env });
  rmSync(folder, { recursive: true });
  return status === 0;
}
