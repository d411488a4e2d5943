import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { WorktreeSettings } from '../../core/model/settings.ts';
import { type ReadFile, readFiles } from './carry-files.ts';
import { listCarried } from './list-carried.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';

const KEY_CHARS = 12;

/** What worktrees of loops and gates get beside what git has, as it was when the host started. */
export interface Provisions {
  readonly settings: WorktreeSettings;
  readonly files: readonly ReadFile[];
  readonly env: NodeJS.ProcessEnv;
  /** Variables that setup gets though they look like credentials. */
  readonly passEnv: readonly string[];
  /** A verdict under other provisions is a verdict about something else. Lock files are part of the tree. */
  readonly key: string;
  /** Hears what is being done, and what did not work. */
  readonly tell: (text: string) => void;
}

/** Reads the files that are copied once: a verdict must not depend on when somebody edits them. */
export async function readProvisions(
  repo: Repository,
  view: GitView,
  order: Omit<Provisions, 'files' | 'key'>,
): Promise<Provisions> {
  const { settings, tell } = order;
  const wanted = await listCarried(view, repo.root, join(repo.commonDir, 'index'), settings);
  const { files, left } = readFiles(repo.root, wanted);
  for (const { path, why } of left) tell(`not copied into worktrees: ${path} (${why})`);
  return { ...order, files, key: keyOf(settings, files) };
}

function keyOf({ setup, keep, submodules }: WorktreeSettings, files: readonly ReadFile[]): string {
  const carried = files.map(({ path, digest, mode }) => [path, digest, mode]);
  return createHash('sha256')
    .update(JSON.stringify([carried, setup, keep, submodules]))
    .digest('hex')
    .slice(0, KEY_CHARS);
}
