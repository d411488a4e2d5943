import { spawnSync } from 'node:child_process';

import { expect } from 'vitest';

import { ralph } from './ralph.ts';
import type { Result } from './ralph.ts';
import type { Scratch } from './scratch.ts';

export interface Why {
  readonly state: string;
  readonly reason: string | null;
  readonly sentences: readonly string[];
  readonly gate: { readonly command: string; readonly tail: string } | null;
  readonly reproduce: string | null;
  readonly next: string | null;
}

export async function why(one: Scratch, id: string): Promise<Why> {
  const { stdout, stderr, code } = await ralph(one, ['why', id, '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Why;
}

/** What a person sees who pastes the command `why` shows. */
export function again(
  one: Scratch,
  command: string | null,
): Pick<Result, 'stdout' | 'stderr'> & { status: number | null } {
  expect(command, 'a command to see it again').not.toBeNull();
  return spawnSync('sh', ['-c', command ?? ''], { cwd: one.repo, env: one.env, encoding: 'utf8' });
}
