import { findExecutable } from './environment.ts';

/**
 * What runs a shell line of the user's so that a failure anywhere in it counts: on an earlier line, or before a pipe. A shell
 * without `pipefail` sees only the end of a pipe.
 */
export function shellFor(env: Readonly<Record<string, string | undefined>>): readonly [string, ...string[]] {
  const bash = findExecutable('bash', env, '/');
  return bash === null ? ['/bin/sh', '-e', '-c'] : [bash, '-e', '-o', 'pipefail', '-c'];
}

export const hasPipefail = (env: Readonly<Record<string, string | undefined>>): boolean =>
  shellFor(env).includes('pipefail');
