import type { WorktreeSettings } from '../../src/core/model/settings.ts';
import { settle } from '../../src/text/config/settle.ts';
import type { Provisions } from '../../src/world/setup/provisions.ts';

/** Worktrees that get nothing beside what git has, unless the test says otherwise. */
export function provisions(changed: Partial<WorktreeSettings> = {}, files: Provisions['files'] = []): Provisions {
  const settings = { ...settle([]).settings.worktree, ...changed };
  return { settings, files, env: process.env, passEnv: [], key: '', tell: () => {} };
}
