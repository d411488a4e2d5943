import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { lstatSync, readdirSync } from 'node:fs';
import type { WorktreeSettings } from '../../core/model/settings.ts';
import type { ReadFile } from './carry-files.ts';
import { readFiles } from './carry-files.ts';
import { isCarried, looksInto } from '../../text/feature/carry-patterns.ts';
import type { Repository } from '../git/run/repository.ts';
import type { GitView } from '../git/run/view.ts';
import type { CarryPatterns } from '../../text/feature/carry-patterns.ts';

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

/** More than that is not settings any more. */
const FILES_MAX = 2000;
const DEPTH_MAX = 12;

/** The files of a checkout that git ignores or does not know and that the patterns ask for, by path from its root. */
export async function listCarried(
  view: GitView,
  root: string,
  index: string,
  patterns: CarryPatterns,
): Promise<readonly string[]> {
  if (patterns.copy.length === 0) return [];
  // Folders of which nothing is tracked come as one name, or all that is installed would be listed.
  const { stdout } = await view.bytes(['ls-files', '--others', '--directory', '-z'], {
    workTree: root,
    env: { GIT_INDEX_FILE: index },
  });
  const names = stdout
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '' && !name.includes('\uFFFD'));
  const found = names.flatMap((name) => {
    if (!name.endsWith('/')) return isCarried(patterns, name) ? [name] : [];
    const folder = name.slice(0, -1);
    return looksInto(patterns, folder) ? filesIn(root, folder, patterns, 0) : [];
  });
  return found.slice(0, FILES_MAX);
}

/** Never through a link, and never into a repository of its own or into what is ours. */
function filesIn(root: string, folder: string, patterns: CarryPatterns, depth: number): readonly string[] {
  const path = join(root, folder);
  if (depth > DEPTH_MAX || folder === '.ralph' || folder === '.git') return [];
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  if (entries.some((entry) => entry.name === '.git')) return [];
  return entries.flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(root, name, patterns, depth + 1);
    return isCarried(patterns, name) ? [name] : [];
  });
}
