import { spawnSync } from 'node:child_process';

import { taskOf } from './events.ts';

export type Git = (...args: string[]) => string;

/** Git in one folder, with optional locks off so that looking never rewrites the user's index. */
export function gitIn(cwd: string, env: Readonly<Record<string, string>>): Git {
  return (...args) => {
    const result = spawnSync('git', args, {
      cwd,
      env: { ...env, GIT_OPTIONAL_LOCKS: '0' },
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    if (result.status !== 0) throw new Error(`git ${args.join(' ')} exited ${result.status}: ${result.stderr}`);
    return result.stdout.trimEnd();
  };
}

/** Whether git exits 0. */
export function gitSays(git: Git, ...args: string[]): boolean {
  try {
    git(...args);
    return true;
  } catch {
    return false;
  }
}

/** Names of refs below a prefix. */
export function refsBelow(git: Git, prefix: string): string[] {
  return git('for-each-ref', '--format=%(refname)', prefix)
    .split('\n')
    .filter((name) => name !== '');
}

/** The task of every `Ralph-Task:` trailer on the first-parent line, oldest first. */
export function landedTasks(git: Git, ref: string): string[] {
  return git('log', '--first-parent', '--reverse', '--format=%(trailers:key=Ralph-Task,valueonly)', ref)
    .split('\n')
    .map((line) => taskOf(line.trim()))
    .filter((line) => line !== '');
}
