import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect } from 'vitest';

import { gitSays, landedTasks, refsBelow } from './git.ts';
import type { Scratch } from './scratch.ts';

export const INT = 'refs/paralph/int/main';

/** git writes a reflog for any ref that has one already. */
export function watchRefs(one: Scratch): void {
  const path = join(one.repo, '.git/logs', INT);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
}

/** Every commit a ref has ever stood at, oldest first. */
export function valuesOf(one: Scratch, ref: string): string[] {
  const lines = readFileSync(join(one.repo, '.git/logs', ref), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => line.split(' ')[1] ?? '');
}

/** Whether files as in this commit, and nothing else, satisfy a shell line. */
export function isGreen(one: Scratch, commit: string, truth: string): boolean {
  const dir = mkdtempSync(join(one.root, 'value-'));
  const act = `git archive ${commit} | tar -x -C ${dir} && cd ${dir} && ( ${truth} )`;
  const { status } = spawnSync('sh', ['-c', act], { cwd: one.repo, env: one.env });
  rmSync(dir, { recursive: true });
  return status === 0;
}

export interface Watched {
  readonly refs?: readonly string[];
  /** Commits the user made red themselves. */
  readonly except?: readonly string[];
}

/** Integration, and with it main, was green at every value it ever took. */
export function alwaysGreen(
  one: Scratch,
  truth: string,
  { refs = [INT, 'refs/heads/main'], except = [] }: Watched = {},
): void {
  for (const ref of refs) {
    const values = valuesOf(one, ref);
    expect(values.length, `${ref} was watched`).toBeGreaterThan(0);
    const red = [...new Set(values)].filter((commit) => !except.includes(commit) && !isGreen(one, commit, truth));
    expect(red, `values of ${ref} that are red`).toEqual([]);
  }
}

export interface Account {
  readonly landed: readonly string[];
  readonly kept: readonly string[];
}

/** Each of these tasks has landed whole, or is kept whole on a branch of its own; `TASK.txt` tells its work. */
export function accountFor(one: Scratch, tasks: readonly string[], ref = INT): Account {
  const holds = (commit: string, task: string): boolean => gitSays(one.git, 'cat-file', '-e', `${commit}:${task}.txt`);
  const landed = landedTasks(one.git, ref);
  const within = (head: string): boolean => gitSays(one.git, 'merge-base', '--is-ancestor', head, ref);
  for (const head of headsLanded(one, ref)) expect(within(head), `${head} is part of ${ref}`).toBe(true);
  const branches = refsBelow(one.git, 'refs/heads/ralph/');
  const kept = tasks.filter((task) => !landed.includes(task));
  for (const task of landed) expect(holds(ref, task), `${task} landed, so its work is there`).toBe(true);
  for (const task of kept) {
    const own = branches.filter((branch) => branch.startsWith(`refs/heads/ralph/${task}-`));
    expect(
      own.filter((branch) => holds(branch, task)),
      `${task} is kept on its branch`,
    ).toHaveLength(1);
    expect(own.filter(within), `${task} did not come along`).toEqual([]);
  }
  return { landed: [...landed].sort(), kept: [...kept].sort() };
}

/** The heads that landings say they brought; a squashed or rebased one is no ancestor. */
export function headsLanded(one: Scratch, ref: string): string[] {
  const format = '--format=%P %(trailers:key=Ralph-Head,valueonly,separator=)';
  return one
    .git('log', '--first-parent', format, ref)
    .split('\n')
    .map((line) => line.split(' '))
    .filter((words) => words.length === 3 && words[2] !== '')
    .map((words) => words[2] ?? '');
}
